// A row of approximations as the pairs of the next level.
template <int COUNT>
__device__ inline void hand_down(const work (&x)[2 * COUNT], work (&even)[COUNT], work (&odd)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        even[i] = x[2 * i];
        odd[i] = x[2 * i + 1];
    }
}

// A row of the next level's signal as approximations.
template <int COUNT>
__device__ inline void hand_up(const work (&even)[COUNT], const work (&odd)[COUNT], work (&x)[2 * COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        x[2 * i] = even[i];
        x[2 * i + 1] = odd[i];
    }
}

// Approximations between two levels, which are zero where no row and no column from .. to exists.
template <int GROUPS, int N>
__device__ inline void confine(work (&x)[GROUPS * N], bool row, int from, int to, int lane) {
#pragma unroll
    for (int i = 0; i < GROUPS * N; ++i) {
        const int column = (i / N * 32 + lane) * N + i % N;
        if (!row || column < from || column >= to) x[i] = 0;
    }
}
