// Exchanges vectors v and v + 1 of a lane's group with the next lane's, so that one access of two lanes writes a whole
// sector: afterwards the even lane has vector v of both, the odd one v + 1.
template <int SIZE, class Wide>
__device__ inline void exchange(Wide& a, Wide& b, int lane) {
    const bool odd = lane & 1;
#pragma unroll
    for (int i = 0; i < SIZE; ++i) {
        const value got = __shfl_xor_sync(0xffffffffu, odd ? a.element[i] : b.element[i], 1);
        a.element[i] = odd ? got : a.element[i];
        b.element[i] = odd ? b.element[i] : got;
    }
}

// Writes lanes FIRST .. END of a strip, all of them inside the row; `at` is the strip's column 0, or if OWN, the lane's
// first. SHIFTED: columns may not be aligned, and everything moves on to the next aligned one. SECTORS: whether lanes of
// several vectors write whole sectors.
template <int GROUPS, int N, int FIRST, int END, bool OWN, bool SHIFTED, bool SECTORS>
__device__ inline void put(value* at, int lane, work (&x)[GROUPS * N]) {
    typedef typename Vector<N>::Type Wide;
    constexpr int SIZE = Vector<N>::SIZE, VECTORS = N / SIZE;
    const int shift = SHIFTED ? (SIZE - misaligned<N>(at)) % SIZE : 0;
    // Every second row of pairs is in its place.
    if (SHIFTED && shift != 0) advance<GROUPS, N>(x, lane, shift);
    Wide* const to = (Wide*)(at + shift);
    const int from = OWN ? lane : 0;
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
        Wide wide[VECTORS];
#pragma unroll
        for (int i = 0; i < N; ++i) wide[i / SIZE].element[i % SIZE] = (value)x[g * N + i];
        if constexpr (SECTORS && VECTORS > 1) {
            const int even = g * 32 + (lane & ~1), odd = even + 1;
#pragma unroll
            for (int v = 0; v < VECTORS; v += 2) {
                exchange<SIZE>(wide[v], wide[v + 1], lane);
                const int own = v + (lane & 1);
                if (even >= FIRST && even < END) to[(even - from) * VECTORS + own] = wide[v];
                if (odd >= FIRST && odd < END) to[(odd - from) * VECTORS + own] = wide[v + 1];
            }
        } else {
            const int l = g * 32 + lane;
            if (l < FIRST || l >= END) continue;
#pragma unroll
            for (int v = 0; v < VECTORS; ++v) to[(l - from) * VECTORS + v] = wide[v];
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
