// Stretches of lines: a warp walks along one, chunk by chunk. Lane l has the N elements from l * N on of whatever a chunk
// has 32 * N of.

// Where vector `j` of the U that lane `l` has stands among a chunk's vectors in shared memory: such that lanes meet in no
// bank, neither with their own vectors nor with such as stand side by side in memory.
template <int U>
__device__ inline int berth(int l, int j) {
    return l * U + (j ^ (U >= 8 ? l & 7 : l * U / 8 & (U - 1)));
}

// A chunk's elements on their way to shared memory, but for the first SKIPPED, which nobody needs: zeros. ALIGNED: whether
// all buffers are.
template <int N, bool ALIGNED, int SKIPPED>
__device__ inline void fetch(const value* at, value* to, int lane) {
    constexpr int SIZE = Vector<N>::SIZE, U = N / SIZE;
#pragma unroll
    for (int v = 0; v < U; ++v) {
        const int number = v * 32 + lane;
        value* const own = to + berth<U>(number / U, number % U) * SIZE;
        const value* const from = at + number * SIZE;
        if (SKIPPED > 0 && number * SIZE < SKIPPED) {
#pragma unroll
            for (int i = 0; i < SIZE; ++i) own[i] = 0;
            continue;
        }
        if (ALIGNED) {
            copy_ahead<SIZE * sizeof(value)>(own, from);
            continue;
        }
#pragma unroll
        for (int i = 0; i < SIZE; ++i) copy_one(own + i, from + i);
    }
}

// A lane's elements of a chunk that has arrived.
template <int N>
__device__ inline void fetched(const value* from, int lane, work (&x)[N]) {
    typedef typename Vector<N>::Type Wide;
    constexpr int SIZE = Vector<N>::SIZE, U = N / SIZE;
#pragma unroll
    for (int v = 0; v < U; ++v) {
        const Wide wide = ((const Wide*)from)[berth<U>(lane, v)];
#pragma unroll
        for (int i = 0; i < SIZE; ++i) x[v * SIZE + i] = wide.element[i];
    }
}

// Writes a chunk's elements; lanes that have several vectors exchange them on a desk in shared memory, so that what stands
// side by side is written at once.
template <int N, bool ALIGNED>
__device__ inline void leave(value* at, value* desk, int lane, const work (&x)[N]) {
    typedef typename Vector<N>::Type Wide;
    constexpr int SIZE = Vector<N>::SIZE, U = N / SIZE;
    if (!ALIGNED) {
#pragma unroll
        for (int i = 0; i < N; ++i) at[lane * N + i] = (value)x[i];
        return;
    }
    Wide wide[U];
#pragma unroll
    for (int i = 0; i < N; ++i) wide[i / SIZE].element[i % SIZE] = (value)x[i];
    Wide* const to = (Wide*)at;
    if constexpr (U == 1) {
        to[lane] = wide[0];
    } else {
        Wide* const all = (Wide*)desk;
#pragma unroll
        for (int v = 0; v < U; ++v) all[berth<U>(lane, v)] = wide[v];
        __syncwarp();
#pragma unroll
        for (int v = 0; v < U; ++v) {
            const int number = v * 32 + lane;
            to[number] = all[berth<U>(number / U, number % U)];
        }
        __syncwarp();
    }
}

// The last R values of a stream of which every lane has P new ones.
template <int P, int R>
struct Tail {
    // What the first lanes read: the last values of the chunk before.
    work kept[R];

    __device__ inline void clear() {
#pragma unroll
        for (int m = 0; m < R; ++m) kept[m] = 0;
    }

    // The lane's new values behind the R before them.
    __device__ inline void extend(const work (&own)[P], work (&all)[R + P], int lane) {
#pragma unroll
        for (int m = 1; m <= R; ++m) {
            const int left = (m + P - 1) / P;
            const work got = __shfl_sync(0xffffffffu, own[left * P - m], (lane - left) & 31);
            all[R - m] = lane >= left ? got : kept[m - 1];
            kept[m - 1] = got;
        }
#pragma unroll
        for (int i = 0; i < P; ++i) all[R + i] = own[i];
    }
};

// Whether `k` is one of `count` from `first` on.
__device__ inline bool exists_in(long long k, long long first, long long count) {
    return k >= first && k - first < count;
}
