// Writes lanes FIRST .. END of a strip whose column 0 is `at`, all of them inside the row. SHIFTED:
// columns may not be aligned, and everything moves on to the next aligned one.
template <int GROUPS, int N, int FIRST, int END, bool SHIFTED>
__device__ inline void put(value* at, int lane, work (&x)[GROUPS * N]) {
    typedef typename Vector<N>::Type Wide;
    constexpr int SIZE = Vector<N>::SIZE;
    const int shift = SHIFTED ? (SIZE - misaligned<N>(at)) % SIZE : 0;
    if (SHIFTED) advance<GROUPS, N>(x, lane, shift);
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
