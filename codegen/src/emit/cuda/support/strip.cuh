// Strips: a warp holds GROUPS x 32 lanes of N neighbouring elements each in registers; element i of
// group g in lane l stands at column (g * 32 + l) * N + i of the strip.

// As many elements as one access moves: at most 16 bytes.
template <int N>
struct Vector {
    static constexpr int SIZE = N * sizeof(value) <= 16 ? N : 16 / sizeof(value);
    struct alignas(SIZE * sizeof(value)) Type {
        value element[SIZE];
    };
};

// A lane's elements, group by group, from aligned memory: `from` is the lane's first.
template <int GROUPS, int N, class T>
__device__ inline void unpack(const value* from, T (&x)[GROUPS * N]) {
    typedef typename Vector<N>::Type Wide;
    constexpr int SIZE = Vector<N>::SIZE;
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
#pragma unroll
        for (int v = 0; v < N / SIZE; ++v) {
            const Wide wide = ((const Wide*)from)[g * 32 * (N / SIZE) + v];
#pragma unroll
            for (int i = 0; i < SIZE; ++i) x[g * N + v * SIZE + i] = wide.element[i];
        }
    }
}

// How many elements the address lies behind an aligned one.
template <int N>
__device__ inline int misaligned(const value* at) {
    return (int)((unsigned long long)at / sizeof(value) % Vector<N>::SIZE);
}

// Value J of the lanes BY to the right (left if negative).
template <int GROUPS, int N, int J, int BY>
__device__ inline void neighbours(const work (&x)[GROUPS * N], int lane, work (&y)[GROUPS]) {
    work rotated[GROUPS];
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
        rotated[g] = __shfl_sync(0xffffffffu, x[g * N + J], (lane + BY) & 31);
    }
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
        y[g] = rotated[g];
        if (BY > 0 && g + 1 < GROUPS && lane + BY > 31) y[g] = rotated[g + 1 < GROUPS ? g + 1 : g];
        if (BY < 0 && g > 0 && lane + BY < 0) y[g] = rotated[g > 0 ? g - 1 : g];
    }
}

// Every element becomes the one `steps` further on; the strip's last lane loses its meaning.
template <int GROUPS, int N>
__device__ inline void advance(work (&x)[GROUPS * N], int lane, int steps) {
    for (int step = 0; step < steps; ++step) {
        work next[GROUPS];
        neighbours<GROUPS, N, 0, 1>(x, lane, next);
#pragma unroll
        for (int g = 0; g < GROUPS; ++g) {
#pragma unroll
            for (int i = 0; i + 1 < N; ++i) x[g * N + i] = x[g * N + i + 1];
            x[g * N + N - 1] = next[g];
        }
    }
}

// A line of an array and how it goes on: element j stands at position step * j + offset of what the
// rule extends (a band is every other position of the interleaved bands).
struct Line {
    long long kind;
    long long len;
    long long step;
    long long offset;
};

// A term of element j of a line.
__device__ inline Term term_of(const Line& line, long long j, int term) {
    Term one = extended(line.kind, line.step * j + line.offset, line.len, term);
    // Every rule keeps the parity of interleaved bands.
    one.index = (one.index - line.offset) >> (line.step - 1);
    return one;
}

// Whether elements beyond the ends are more than copies of others: sums or negatives.
__device__ inline bool sums(const Line& line) {
    return line.kind >= 5 && line.kind <= 7;
}

__device__ inline bool exists(long long j, long long count) {
    return j >= 0 && j < count;
}

__device__ inline long long larger(long long a, long long b) {
    return a > b ? a : b;
}

__device__ inline long long smaller(long long a, long long b) {
    return a < b ? a : b;
}

// Steps until i is reached.
__device__ inline long long whole(long long i, int step) {
    return step == 1 ? i : (i + 1) >> 1;
}

// As an int, which is enough to compare with columns of a strip.
__device__ inline int clamped(long long i) {
    return (int)larger(smaller(i, 1 << 20), -(1 << 20));
}

// What stands beyond one end of a line, as long as that is less than a line's length away: element j is
// own * x[base + turn * j] + (near + slope * d) * x[end] + far * d * x[end's neighbour], d steps
// beyond the end.
struct End {
    long long base;
    int turn;
    int own;
    int near;
    int slope;
    int far;
};

// A direction in which a strip reads beyond the ends: `count` elements exist, first .. end are needed.
struct Axis {
    Line line;
    long long count;
    long long first;
    long long end;
    End ends[2];
    bool summed;  // some elements are sums or negatives of others
    bool far;     // needed elements lie more than a line's length away
};

__device__ inline End end_of(const Line& line, bool after) {
    const long long n = line.len;
    End e = {0, 1, 1, 0, 0, 0};
    switch (n == 1 && line.kind >= 1 && line.kind <= 7 && line.kind != 6 ? 1 : line.kind) {
        case 1:
            e.turn = 0;
            e.base = after ? n - 1 : 0;
            break;
        case 6:
            e.own = -1;
        case 2:
            e.turn = -1;
            e.base = after ? 2 * n - 1 : -1;
            break;
        case 7:
            e.own = -1;
            e.near = 2;
        case 3:
            e.turn = -1;
            e.base = after ? 2 * n - 2 : 0;
            break;
        case 4:
            e.base = after ? -n : n;
            break;
        case 8:
            e.base = (after ? -1 : 1) * (n + (n & 1));
            break;
        case 5:
            e.own = 0;
            e.near = e.slope = 1;
            e.far = -1;
            break;
        default:
            e.own = 0;
    }
    // From positions to elements; every rule keeps the parity of interleaved bands.
    e.base = (e.base + (e.turn - 1) * line.offset) >> (line.step - 1);
    return e;
}

__device__ __noinline__ void fill(Axis* axis, long long kind, long long len, long long step, long long offset, long long count, long long first, long long end) {
    const Line line = {kind, len, step, offset};
    axis->line = line;
    axis->count = count;
    axis->first = first;
    axis->end = end;
    axis->ends[0] = end_of(line, false);
    axis->ends[1] = end_of(line, true);
    axis->summed = sums(line);
    axis->far = kind != 0 && (step * (1 - first) >= len || step * (end - count + 1) >= len);
}

// The copy that element j beyond an end is (or, in a sum, begins with); a weight of 0 if there is none.
__device__ inline Term beyond(const Axis& axis, long long j) {
    const End& e = axis.ends[j < 0 ? 0 : 1];
    const long long index = e.base + e.turn * j;
    const bool needed = j >= axis.first && j < axis.end;
    // An odd line with an even period repeats its last element.
    return Term{exists(index, axis.count) ? index : axis.count - 1, needed ? e.own : 0};
}

// What a strip at an end reads of one array: `array` is column 0 of row 0, `column` the strip's column 0.
struct Source {
    const value* array;
    long long stride;
    long long column;
    Axis rows;
    Axis columns;
};

// What it writes: rows of the walk's iterations begin .. end, columns from .. to of the strip.
struct Target {
    int begin;
    int end;
    int from;
    int to;
};

// A row of arrays so short that filters reach around them: a lane's elements, `count` of them in groups
// of n, on the warp's desk.
__device__ __noinline__ void sum_far(const Source& source, long long row, long long column, int lane, int n, int count, work* desk) {
    for (int i = 0; i < count; ++i) {
        const int place = (i / n * 32 + lane) * n + i % n;
        work sum = 0;
        if (column + place >= source.columns.first && column + place < source.columns.end) {
            for (int r = 0; r < terms(source.rows.line.kind); ++r) {
                const Term down = term_of(source.rows.line, row, r);
                if (down.weight == 0) continue;
                const value* const line = source.array + down.index * source.stride;
                for (int c = 0; c < terms(source.columns.line.kind); ++c) {
                    const Term one = term_of(source.columns.line, column + place, c);
                    if (one.weight != 0) sum += (work)(down.weight * one.weight) * line[one.index];
                }
            }
        }
        desk[place] = sum;
    }
}

template <int INPUTS, int OUTPUTS>
struct Ends {
    Source source[INPUTS];
    Target target[OUTPUTS];
};

// A row that needs no extension, on its way into registers, loaded ahead. SHIFTED: rows that are not
// aligned are loaded aligned and shifted into place; the strip's last lane then has no meaning.
template <int GROUPS, int N, bool SHIFTED>
struct Arrival {
    value raw[GROUPS * N];
    int shift;

    // `at` is the strip's column 0.
    __device__ inline void load(const value* at, int lane) {
        shift = misaligned<N>(at);
        if (!SHIFTED && shift != 0) {
#pragma unroll
            for (int i = 0; i < GROUPS * N; ++i) raw[i] = at[(i / N * 32 + lane) * N + i % N];
            return;
        }
        unpack<GROUPS, N>(at - shift + lane * N, raw);
    }

    __device__ inline void take(int lane, work (&x)[GROUPS * N]) const {
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) x[i] = raw[i];
        if (SHIFTED) advance<GROUPS, N>(x, lane, shift);
    }
};

// An asynchronous copy of 4, 8 or 16 aligned bytes, where the card has them; else a plain one. What was
// read from the place before stays before it.
template <int BYTES>
__device__ inline void copy_ahead(void* to, const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(BYTES) : "memory");
#else
    struct alignas(BYTES) Bytes {
        char byte[BYTES];
    };
    *(Bytes*)to = *(const Bytes*)from;
#endif
}

// A single element, ahead where elements are wide enough for that.
__device__ inline void copy_one(value* to, const value* from) {
    if (sizeof(value) >= 4) {
        copy_ahead<sizeof(value) >= 4 ? (int)sizeof(value) : 4>(to, from);
    } else {
        *to = *from;
    }
}

// Ends a group of copies.
__device__ inline void close_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until no more than the last COUNT groups are on their way.
template <int COUNT>
__device__ inline void await_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(COUNT) : "memory");
#endif
}

// The same by way of a ring in shared memory: rows arrive DEPTH - 1 pairs ahead. A lane reads what it
// copied itself, so nobody waits for others. WALKS, CROSSES: whether rows, columns are transformed, and
// so go on beyond the ends.
template <int GROUPS, int N, bool SHIFTED, int DEPTH, bool WALKS, bool CROSSES>
struct Ring {
    static constexpr int ROW = GROUPS * 32 * N;
    static constexpr int SIZE = Vector<N>::SIZE;

    value* slots;
    int shift;
    int step;
    int offset[GROUPS * N / SIZE];
    bool general;
    bool summed;

    __device__ inline Ring(value* ring, const value* at, long long stride)
        : slots(ring), shift(misaligned<N>(at)), step((int)(stride & (Vector<N>::SIZE - 1))) {}

    __device__ inline void load(const value* at, int lane, int slot) {
        value* const to = slots + slot * ROW + lane * N;
        const int behind = misaligned<N>(at);
        if (!SHIFTED && behind != 0) {
#pragma unroll
            for (int i = 0; i < GROUPS * N; ++i) to[i / N * 32 * N + i % N] = at[(i / N * 32 + lane) * N + i % N];
            return;
        }
        const value* const from = at - behind + lane * N;
#pragma unroll
        for (int g = 0; g < GROUPS; ++g) {
#pragma unroll
            for (int v = 0; v < N; v += SIZE) {
                copy_ahead<SIZE * sizeof(value)>(to + g * 32 * N + v, from + g * 32 * N + v);
            }
        }
    }

    // For a strip at an end: where every vector of a lane comes from, in elements from the strip's column
    // 0. Where a line begins anew, what stands beyond an end is as wide as anything else.
    __device__ inline void prepare(const Source& source, int lane) {
        summed = source.rows.far || source.columns.far || source.rows.summed || source.columns.summed;
        general = true;
        // Rows that are aligned in different ways have no such places; a single one needs none.
        if (SHIFTED || !WALKS) return;
        int odd = source.rows.far || source.columns.far;
#pragma unroll
        for (int v = 0; v < GROUPS * N / SIZE; ++v) {
            const int place = v * SIZE / N * 32 * N + v * SIZE % N + lane * N;
            long long column = source.column + place;
            if (column < 0 || column + SIZE > source.columns.count) {
                const End& e = source.columns.ends[column < 0 ? 0 : 1];
                if (e.turn == 1 && e.own == 1) column += e.base;
                const long long way = column - source.column - place;
                odd |= column < 0 || column + SIZE > source.columns.count || way % SIZE != 0 || way != (int)way;
            }
            offset[v] = (int)(column - source.column);
        }
        for (int away = 16; away > 0; away /= 2) odd |= __shfl_sync(0xffffffffu, odd, (lane + away) & 31);
        general = odd != 0;
    }

    // The same where rows and columns may lie beyond the ends: what is a copy of another is copied.
    __device__ inline void load_ends(const Source& source, const value* at, long long row, int lane, int slot) {
        if (!SHIFTED && WALKS && !general && exists(row, source.rows.count) && misaligned<N>(at) == 0) {
#pragma unroll
            for (int v = 0; v < GROUPS * N / SIZE; ++v) {
                const int place = v * SIZE / N * 32 * N + v * SIZE % N + lane * N;
                copy_ahead<SIZE * sizeof(value)>(slots + slot * ROW + place, at + offset[v]);
            }
            return;
        }
        if (source.rows.far || source.columns.far) return;
        Term from = {row, 1};
        if (WALKS && !exists(row, source.rows.count)) from = beyond(source.rows, row);
        const int behind = SHIFTED ? misaligned<N>(source.array + row * source.stride + source.column) : 0;
        const value* const line = source.array + from.index * source.stride;
        const long long first = source.column - behind + lane * N;
        const long long count = source.columns.count;
        const bool absent = from.weight == 0;
        value* const to = slots + slot * ROW + lane * N;
#pragma unroll 1
        for (int v = 0; v < GROUPS * N; v += SIZE) {
            const int place = v / N * 32 * N + v % N;
            long long column = first + place;
            if (column < 0 || column + SIZE > count) {
                // Where a line begins anew, what stands beyond an end is as wide as anything else.
                const End& e = source.columns.ends[column < 0 ? 0 : 1];
                if (e.turn == 1 && e.own == 1) column += e.base;
            }
            if (!absent && column >= 0 && column + SIZE <= count && misaligned<N>(line + column) == 0) {
                copy_ahead<SIZE * sizeof(value)>(to + place, line + column);
                continue;
            }
            column = first + place;
            const value* source_of[SIZE];
#pragma unroll
            for (int i = 0; i < SIZE; ++i) {
                Term one = {column + i, 1};
                if (!exists(column + i, count)) one = beyond(source.columns, column + i);
                source_of[i] = absent || one.weight == 0 ? nullptr : line + one.index;
            }
#pragma unroll
            for (int i = 0; i < SIZE; ++i) {
                if (source_of[i] == nullptr) {
                    to[place + i] = 0;
                } else {
                    copy_one(to + place + i, source_of[i]);
                }
            }
        }
    }

    __device__ inline void take(int lane, int slot, work (&x)[GROUPS * N]) {
        unpack<GROUPS, N>(slots + slot * ROW + lane * N, x);
        settle(lane, x);
    }

    __device__ inline void take_ends(const Source& source, long long row, int lane, int slot, work* desk, work (&x)[GROUPS * N]) {
        const long long column = source.column - (SHIFTED ? shift : 0);
        if (!summed) {
            unpack<GROUPS, N>(slots + slot * ROW + lane * N, x);
        } else if (source.rows.far || source.columns.far) {
            sum_far(source, row, column, lane, N, GROUPS * N, desk);
#pragma unroll
            for (int i = 0; i < GROUPS * N; ++i) x[i] = desk[(i / N * 32 + lane) * N + i % N];
        } else {
            unpack<GROUPS, N>(slots + slot * ROW + lane * N, x);
            if (WALKS && source.rows.summed && !exists(row, source.rows.count)) sum_rows(source, row, column, lane, x);
            if (CROSSES && source.columns.summed && (column < 0 || column + ROW > source.columns.count)) {
                sum_columns(source, row, column, lane, x);
            }
        }
        settle(lane, x);
    }

    // The rest of the sums that make a row beyond the first or last one, for every column's copy.
    __device__ inline void sum_rows(const Source& source, long long row, long long column, int lane, work (&x)[GROUPS * N]) {
        const int after = row < 0 ? 0 : 1;
        const End& e = source.rows.ends[after];
        const int d = (int)(after ? row - source.rows.count + 1 : -row);
        const value* const end = source.array + (after ? source.rows.count - 1 : 0) * source.stride;
        const value* const next = end + (after ? -source.stride : source.stride);
        const work own = (work)e.own, near = (work)(e.near + e.slope * d), far = (work)(e.far * d);
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) {
            const long long j = column + (i / N * 32 + lane) * N + i % N;
            const long long from = exists(j, source.columns.count) ? j : beyond(source.columns, j).index;
            // A weight of 0 means that a sample is absent, even if it is not finite.
            x[i] = e.own != 0 ? own * x[i] : 0;
            if (near != 0) x[i] += near * end[from];
            if (e.far != 0) x[i] += far * next[from];
        }
    }

    // A column of row `row`, which may lie beyond the first or last one.
    __device__ inline work cell(const Source& source, long long row, long long column) const {
        if (!WALKS || exists(row, source.rows.count)) return source.array[row * source.stride + column];
        const int after = row < 0 ? 0 : 1;
        const End& e = source.rows.ends[after];
        const int d = (int)(after ? row - source.rows.count + 1 : -row);
        const value* const end = source.array + (after ? source.rows.count - 1 : 0) * source.stride + column;
        const work near = (work)(e.near + e.slope * d);
        work sum = near != 0 ? near * end[0] : 0;
        if (e.own != 0) sum += (work)e.own * source.array[beyond(source.rows, row).index * source.stride + column];
        if (e.far != 0) sum += (work)(e.far * d) * end[after ? -source.stride : source.stride];
        return sum;
    }

    // The same for columns.
    __device__ inline void sum_columns(const Source& source, long long row, long long column, int lane, work (&x)[GROUPS * N]) {
        const long long count = source.columns.count;
#pragma unroll 1
        for (int after = 0; after < 2; ++after) {
            if (after ? column + ROW <= count : column >= 0) continue;
            const End& e = source.columns.ends[after];
            const work end = cell(source, row, after ? count - 1 : 0);
            const work next = e.far != 0 ? cell(source, row, after ? count - 2 : 1) : 0;
            const int first = clamped(after ? column - count + 1 : -column);
#pragma unroll
            for (int i = 0; i < GROUPS * N; ++i) {
                const int place = (i / N * 32 + lane) * N + i % N;
                const int d = after ? first + place : first - place;
                if (d <= 0) continue;
                const work near = (work)(e.near + e.slope * d);
                x[i] = e.own != 0 ? (work)e.own * x[i] : 0;
                if (near != 0) x[i] += near * end;
                if (e.far != 0) x[i] += (work)(e.far * d) * next;
            }
        }
    }

    // Into place, where rows are not aligned.
    __device__ inline void settle(int lane, work (&x)[GROUPS * N]) {
        if (SHIFTED) {
            advance<GROUPS, N>(x, lane, shift);
            shift = (shift + step) % Vector<N>::SIZE;
        }
    }
};

// Writes lanes FIRST .. END of a strip whose column 0 is `at`, all of them inside the row. SHIFTED:
// where columns are not aligned, everything moves on to the next aligned one.
template <int GROUPS, int N, int FIRST, int END, bool SHIFTED>
__device__ inline void put(value* at, int lane, work (&x)[GROUPS * N]) {
    typedef typename Vector<N>::Type Wide;
    constexpr int SIZE = Vector<N>::SIZE;
    const int shift = (SIZE - misaligned<N>(at)) % SIZE;
    if (SHIFTED) advance<GROUPS, N>(x, lane, shift);
    if (!SHIFTED && shift != 0) {
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) {
            const int l = i / N * 32 + lane;
            if (l >= FIRST && l < END) at[l * N + i % N] = (value)x[i];
        }
        return;
    }
    Wide* const to = (Wide*)(at + shift) + lane * (N / SIZE);
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
        const int l = g * 32 + lane;
        if (l < FIRST || l >= END) continue;
#pragma unroll
        for (int v = 0; v < N / SIZE; ++v) {
            Wide wide;
#pragma unroll
            for (int i = 0; i < SIZE; ++i) wide.element[i] = (value)x[g * N + v * SIZE + i];
            to[g * 32 * (N / SIZE) + v] = wide;
        }
    }
}

// The same for a strip at an end: only the columns from .. to, counted from column 0.
template <int GROUPS, int N, int FIRST, int END, bool SHIFTED>
__device__ inline void put_ends(value* at, int from, int to, int lane, work (&x)[GROUPS * N]) {
    typedef typename Vector<N>::Type Wide;
    constexpr int SIZE = Vector<N>::SIZE;
    const int shift = (SIZE - misaligned<N>(at)) % SIZE;
    if (SHIFTED) advance<GROUPS, N>(x, lane, shift);
    const int ahead = SHIFTED ? shift : 0;
    const bool aligned = SHIFTED || shift == 0;
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
        const int l = g * 32 + lane;
        if (l < FIRST || l >= END) continue;
#pragma unroll
        for (int v = 0; v < N / SIZE; ++v) {
            const int c = l * N + v * SIZE + ahead;
            if (aligned && c >= from && c + SIZE <= to) {
                Wide wide;
#pragma unroll
                for (int i = 0; i < SIZE; ++i) wide.element[i] = (value)x[g * N + v * SIZE + i];
                *(Wide*)(at + c) = wide;
                continue;
            }
#pragma unroll
            for (int i = 0; i < SIZE; ++i) {
                if (c + i >= from && c + i < to) at[c + i] = (value)x[g * N + v * SIZE + i];
            }
        }
    }
}
