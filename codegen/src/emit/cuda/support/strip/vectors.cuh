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

// A number that is kept in a register: the compiler cannot tell how to make it again.
__device__ inline int kept(int n) {
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+r"(n));
#endif
    return n;
}

__device__ inline long long kept(long long n) {
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+l"(n));
#endif
    return n;
}

// The same of a place in shared memory.
__device__ inline value* kept(value* at) {
#if defined(__CUDA_ARCH__)
    return (value*)__cvta_shared_to_generic((unsigned)kept((int)__cvta_generic_to_shared(at)));
#else
    return at;
#endif
}

// A pointer that is made here, and not where it is used: what it is made of is kept no longer.
template <class T>
__device__ inline T* made(T* at) {
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+l"(at));
#endif
    return at;
}

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
    if constexpr (GROUPS == 1) {
        // What comes from beyond the strip has no meaning.
        y[0] = BY > 0 ? __shfl_down_sync(0xffffffffu, x[J], BY > 0 ? BY : 0) : __shfl_up_sync(0xffffffffu, x[J], BY < 0 ? -BY : 0);
        return;
    }
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

// Every element becomes the one BY further on; the strip's last lane loses its meaning. All values of the next lane
// are asked for at once, so that nothing waits for one after the other.
template <int GROUPS, int N, int BY>
__device__ inline void advance_by(work (&x)[GROUPS * N], int lane) {
    work next[GROUPS * BY];
#pragma unroll
    for (int i = 0; i < GROUPS * BY; ++i) {
        next[i] = __shfl_sync(0xffffffffu, x[i / BY * N + i % BY], (lane + 1) & 31);
    }
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
#pragma unroll
        for (int i = 0; i + BY < N; ++i) x[g * N + i] = x[g * N + i + BY];
#pragma unroll
        for (int i = 0; i < BY; ++i) {
            const int later = g + 1 < GROUPS ? g + 1 : g;
            x[g * N + N - BY + i] = lane == 31 ? next[later * BY + i] : next[g * BY + i];
        }
    }
}

// The same by `steps`, which are less than an access has elements and the same in all lanes.
template <int GROUPS, int N>
__device__ inline void advance(work (&x)[GROUPS * N], int lane, int steps) {
    constexpr int SIZE = Vector<N>::SIZE;
    if constexpr (SIZE > 8) {
        if (steps & 8) advance_by<GROUPS, N, 8>(x, lane);
    }
    if constexpr (SIZE > 4) {
        if (steps & 4) advance_by<GROUPS, N, 4>(x, lane);
    }
    if constexpr (SIZE > 2) {
        switch (steps & 3) {
            case 1:
                advance_by<GROUPS, N, 1>(x, lane);
                break;
            case 2:
                advance_by<GROUPS, N, 2>(x, lane);
                break;
            case 3:
                advance_by<GROUPS, N, 3>(x, lane);
                break;
        }
    } else if constexpr (SIZE > 1) {
        // Two elements an access: asking and choosing is shorter than a way around it.
        const bool one = steps & 1;
        work kept[GROUPS * N];
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) kept[i] = x[i];
        advance_by<GROUPS, N, 1>(x, lane);
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) x[i] = one ? x[i] : kept[i];
    }
}
