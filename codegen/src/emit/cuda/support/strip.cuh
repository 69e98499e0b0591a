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

// Where the columns of a lane come from when some lie beyond the ends: up to four weighted columns.
template <int COUNT>
struct Gather {
    long long index[4][COUNT];
    int weight[4][COUNT];
    // Columns that others need more than one of, and whether any weight is not 1.
    int terms;
    bool weighted;
};

// The columns of a strip whose column 0 has index `column` in the line. Those outside first .. end are
// needed by no output.
template <int GROUPS, int N>
__device__ __noinline__ void find_columns(Gather<GROUPS * N>& from, const Line& line, long long column, long long first, long long end, int lane) {
    from.terms = line.kind == 5 || line.kind == 7 ? 4 : 1;
    from.weighted = false;
    for (int i = 0; i < GROUPS * N; ++i) {
        const long long j = column + (i / N * 32 + lane) * N + i % N;
        Extended e = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        if (j >= first && j < end) e = found(line, j);
        for (int t = 0; t < 4; ++t) {
            from.index[t][i] = e.index[t];
            from.weight[t][i] = (int)e.weight[t];
        }
        from.weighted |= e.weight[0] != 1;
    }
}

// Columns that only go on to `len`: beyond, anything.
template <int GROUPS, int N>
__device__ __noinline__ void find_columns(Gather<GROUPS * N>& from, long long len, long long column, int lane) {
    from.terms = 1;
    from.weighted = false;
    for (int i = 0; i < GROUPS * N; ++i) {
        const long long j = column + (i / N * 32 + lane) * N + i % N;
        for (int t = 0; t < 4; ++t) {
            from.index[t][i] = t == 0 && j < len ? j : 0;
            from.weight[t][i] = t == 0 && j < len;
        }
    }
}

// Rows of one array as a strip sees them: column 0 of row 0, elements between rows, the strip's column
// 0, and how many rows there are.
struct Rows {
    const value* array;
    long long stride;
    long long column;
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
        typedef typename Vector<N>::Type Wide;
        constexpr int SIZE = Vector<N>::SIZE;
        shift = misaligned<N>(at);
        if (!SHIFTED && shift != 0) {
#pragma unroll
            for (int i = 0; i < GROUPS * N; ++i) raw[i] = at[(i / N * 32 + lane) * N + i % N];
            return;
        }
        const Wide* const aligned = (const Wide*)(at - shift) + lane * (N / SIZE);
#pragma unroll
        for (int g = 0; g < GROUPS; ++g) {
#pragma unroll
            for (int v = 0; v < N / SIZE; ++v) {
                const Wide wide = aligned[g * 32 * (N / SIZE) + v];
#pragma unroll
                for (int i = 0; i < SIZE; ++i) raw[g * N + v * SIZE + i] = wide.element[i];
            }
        }
    }

    __device__ inline void take(int lane, work (&x)[GROUPS * N]) const {
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) x[i] = raw[i];
        if (SHIFTED) advance<GROUPS, N>(x, lane, shift);
    }
};

// An asynchronous copy of 4, 8 or 16 aligned bytes, where the card has them; else a plain one.
template <int BYTES>
__device__ inline void copy_ahead(void* to, const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(BYTES));
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
    asm volatile("cp.async.commit_group;");
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
        typedef typename Vector<N>::Type Wide;
        constexpr int SIZE = Vector<N>::SIZE;
        const Wide* const from = (const Wide*)(slots + slot * ROW + lane * N);
#pragma unroll
        for (int g = 0; g < GROUPS; ++g) {
#pragma unroll
            for (int v = 0; v < N / SIZE; ++v) {
                const Wide wide = from[g * 32 * (N / SIZE) + v];
#pragma unroll
                for (int i = 0; i < SIZE; ++i) x[g * N + v * SIZE + i] = wide.element[i];
            }
        }
        if (SHIFTED) {
            advance<GROUPS, N>(x, lane, shift);
            shift = (shift + step) % SIZE;
        }
    }
};

// Whether all columns that a strip loads are inside rows of `len`.
template <int GROUPS, int N, bool SHIFTED>
__device__ inline bool inside(const Rows& rows, long long len) {
    constexpr int SIZE = Vector<N>::SIZE;
    int before = SHIFTED ? SIZE - 1 : 0;
    if (SHIFTED && rows.stride % SIZE == 0) before = misaligned<N>(rows.array + rows.column);
    return rows.column - before >= 0 && rows.column + GROUPS * 32 * N <= len;
}

// Whether all that a strip may store is inside.
template <int N, int FIRST, int END>
__device__ inline bool fits(long long column, long long len, long long first, long long end, long long count) {
    return column + FIRST * N >= 0 && column + END * N + N <= len && first >= 0 && end <= count;
}

// What the extensions of row `e` and of the columns add to their first terms.
template <int COUNT>
__device__ __noinline__ void add_terms(const value* array, long long stride, const Extended& e, const Gather<COUNT>& from, work* x) {
    for (int r = 0; r < 4; ++r) {
        if (e.weight[r] == 0) continue;
        for (int c = r == 0 ? 1 : 0; c < from.terms; ++c) {
            for (int i = 0; i < COUNT; ++i) {
                const work weight = (work)(e.weight[r] * from.weight[c][i]);
                if (weight != 0) x[i] += weight * array[e.index[r] * stride + from.index[c][i]];
            }
        }
    }
}

// A row of a strip that touches an end, on its way: as it is where its columns are inside (`flat`),
// gathered by the columns' extension elsewhere; beyond the first or last row, the row it is made of.
template <int GROUPS, int N, bool SHIFTED>
struct EdgeArrival {
    Arrival<GROUPS, N, SHIFTED> row;

    __device__ inline void load(const Rows& rows, const Line& line, long long j, int lane, bool flat, const Gather<GROUPS * N>& from) {
        if (j < 0 || j >= rows.count) {
            const Line copy = line;
            j = found(copy, j).index[0];
        }
        const value* const at = rows.array + j * rows.stride;
        if (flat) {
            row.load(at + rows.column, lane);
            return;
        }
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) row.raw[i] = at[from.index[0][i]];
    }

    __device__ inline void take(const Rows& rows, const Line& line, long long j, int lane, bool flat, const Gather<GROUPS * N>& from, work (&x)[GROUPS * N]) const {
        if (flat) {
            row.take(lane, x);
        } else {
#pragma unroll
            for (int i = 0; i < GROUPS * N; ++i) x[i] = row.raw[i];
            if (from.weighted) {
#pragma unroll
                for (int i = 0; i < GROUPS * N; ++i) {
                    const work weight = (work)from.weight[0][i];
                    x[i] = weight == 0 ? (work)0 : weight * x[i];
                }
            }
        }
        const bool outside = j < 0 || j >= rows.count;
        if (!outside && (flat || from.terms == 1)) return;
        Extended e = {{j, 0, 0, 0}, {1, 0, 0, 0}};
        if (outside) {
            const Line copy = line;
            e = found(copy, j);
        }
        const work weight = (work)e.weight[0];
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) x[i] = weight == 0 ? (work)0 : weight * x[i];
        if (flat) return;
        // A copy: what a call sees lives in memory.
        work sums[GROUPS * N];
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) sums[i] = x[i];
        add_terms<GROUPS * N>(rows.array, rows.stride, e, from, sums);
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) x[i] = sums[i];
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

// Writes what exists of lanes FIRST .. END of a strip whose column 0 has index `column` in a row of
// `len`.
template <int GROUPS, int N, int FIRST, int END>
__device__ inline void put_existing(value* row, long long column, long long len, int lane, const work (&x)[GROUPS * N]) {
#pragma unroll
    for (int i = 0; i < GROUPS * N; ++i) {
        const int l = i / N * 32 + lane;
        const long long at = column + l * N + i % N;
        if (l >= FIRST && l < END && at >= 0 && at < len) row[at] = (value)x[i];
    }
}
