// Levels in place: a thread's box of samples, row by row of its last axis.

// N neighbouring values, which one or two accesses move.
template <int N>
struct alignas(N * sizeof(value) < 16 ? N * sizeof(value) : 16) Row {
    value x[N];
};

template <int N>
__device__ inline void load_row(const value* from, long long stride, bool aligned, work (&x)[N]) {
    if (aligned) {
        const Row<N> row = *(const Row<N>*)from;
#pragma unroll
        for (int i = 0; i < N; ++i) x[i] = row.x[i];
    } else {
#pragma unroll
        for (int i = 0; i < N; ++i) x[i] = from[i * stride];
    }
}

template <int N>
__device__ inline void store_row(value* to, long long stride, bool aligned, const work (&x)[N]) {
    if (aligned) {
        Row<N> row;
#pragma unroll
        for (int i = 0; i < N; ++i) row.x[i] = (value)x[i];
        *(Row<N>*)to = row;
    } else {
#pragma unroll
        for (int i = 0; i < N; ++i) to[i * stride] = (value)x[i];
    }
}
