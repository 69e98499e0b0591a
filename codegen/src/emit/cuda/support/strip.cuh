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

__device__ __noinline__ Extended found(const Line& line, long long j) {
    Extended e = extended(line.kind, line.step * j + line.offset, line.len);
    for (int t = 0; t < 4; ++t) {
        // Every rule keeps the parity of interleaved bands.
        e.index[t] = e.weight[t] == 0 ? 0 : (e.index[t] - line.offset) / line.step;
    }
    return e;
}

// The same sample twice is one of the sum of the weights; what cancels is gone.
__device__ inline Extended merged(const Extended& e) {
    Extended sum = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (int t = 0; t < 4; ++t) {
        if (e.weight[t] == 0) continue;
        int known = 0;
        while (sum.weight[known] != 0 && sum.index[known] != e.index[t]) ++known;
        sum.index[known] = e.index[t];
        sum.weight[known] += e.weight[t];
        if (sum.weight[known] != 0) continue;
        for (; known < 3; ++known) {
            sum.index[known] = sum.index[known + 1];
            sum.weight[known] = sum.weight[known + 1];
        }
        sum.weight[3] = 0;
    }
    return sum;
}

// Where a column comes from if it is one of first .. end; no output needs others.
__device__ __noinline__ Extended found_column(const Line& line, long long j, long long first, long long end) {
    const Extended nothing = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    return j >= first && j < end ? merged(found(line, j)) : nothing;
}

// The columns of a lane of a frame: mostly one column each, two where the rule extrapolates. Lines so
// short that they extend onto themselves may need more, which are then found again for every row.
template <int N>
struct Places {
    long long column;
    long long first;
    long long end;
    long long index[2][N];
    int weight[2][N];
    bool more;

    __device__ inline Places(const Line& line, long long column, long long first, long long end, int lane)
        : column(column + lane * N), first(first), end(end), more(false) {
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const Extended e = found_column(line, this->column + i, first, end);
#pragma unroll
            for (int t = 0; t < 2; ++t) {
                index[t][i] = e.index[t];
                weight[t][i] = (int)e.weight[t];
            }
            more |= e.weight[2] != 0;
        }
    }
};

// Rows of one array: column 0 of row 0, elements between rows, and how many rows there are.
struct Rows {
    const value* array;
    long long stride;
    long long count;
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
// copied itself, so nobody waits for others.
template <int GROUPS, int N, bool SHIFTED, int DEPTH>
struct Ring {
    value* slots;
    int shift;
    int step;

    static constexpr int ROW = GROUPS * 32 * N;

    __device__ inline Ring(value* ring, const value* at, long long stride)
        : slots(ring), shift(misaligned<N>(at)), step((int)wrapped(stride, Vector<N>::SIZE)) {}

    __device__ inline void load(const value* at, int lane, int slot) {
        constexpr int SIZE = Vector<N>::SIZE;
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

    __device__ inline void take(int lane, int slot, work (&x)[GROUPS * N]) {
        unpack<GROUPS, N>(slots + slot * ROW + lane * N, x);
        if (SHIFTED) {
            advance<GROUPS, N>(x, lane, shift);
            shift = (shift + step) % Vector<N>::SIZE;
        }
    }
};

// Terms of a column beyond two.
__device__ __noinline__ work further(const Line& line, long long j, long long first, long long end, const value* row) {
    const Extended e = found_column(line, j, first, end);
    return (work)e.weight[2] * row[e.index[2]] + (work)e.weight[3] * row[e.index[3]];
}

// Row j of a frame: beyond the first or last row, what `along` makes of others; its columns by their
// places.
template <int N>
__device__ inline void frame_row(const Rows& rows, const Line& along, const Line& across, long long j, const Places<N>& places, work (&x)[N]) {
    Extended e = {{j, 0, 0, 0}, {1, 0, 0, 0}};
    if (j < 0 || j >= rows.count) e = found(along, j);
#pragma unroll
    for (int i = 0; i < N; ++i) x[i] = 0;
#pragma unroll 1
    for (int r = 0; r < 4; ++r) {
        if (e.weight[r] == 0) continue;
        const value* const row = rows.array + e.index[r] * rows.stride;
#pragma unroll
        for (int i = 0; i < N; ++i) {
            work sum = 0;
            if (places.weight[0][i] != 0) sum += (work)places.weight[0][i] * row[places.index[0][i]];
            if (places.weight[1][i] != 0) sum += (work)places.weight[1][i] * row[places.index[1][i]];
            if (places.more) sum += further(across, places.column + i, places.first, places.end, row);
            x[i] += (work)e.weight[r] * sum;
        }
    }
}

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

__device__ inline long long larger(long long a, long long b) {
    return a > b ? a : b;
}

__device__ inline long long smaller(long long a, long long b) {
    return a < b ? a : b;
}

// As an int, which is enough to compare with columns of a strip.
__device__ inline int clamped(long long i) {
    return (int)larger(smaller(i, 1 << 20), -(1 << 20));
}

// Writes the columns from .. to, counted from the strip's column 0 at `at`, of lanes FIRST .. END.
template <int GROUPS, int N, int FIRST, int END>
__device__ inline void put_between(value* at, int from, int to, int lane, const work (&x)[GROUPS * N]) {
#pragma unroll
    for (int i = 0; i < GROUPS * N; ++i) {
        const int l = i / N * 32 + lane;
        const int c = l * N + i % N;
        if (l >= FIRST && l < END && c >= from && c < to) at[c] = (value)x[i];
    }
}
