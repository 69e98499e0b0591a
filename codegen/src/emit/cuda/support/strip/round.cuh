// Lines that begin anew beyond their ends.

// Where element i of such a line stands in it.
__device__ inline long long wrapped(long long i, long long count) {
    if (i < 0) i += count;
    if (i >= count) i -= count;
    if (i < 0 || i >= count) {
        i %= count;
        if (i < 0) i += count;
    }
    return i;
}

// The rows of a pair on a walk: steps after which the first one follows on the last one, and steps left until then.
struct Round {
    int period;
    int left[2];

    // Row `r` of a pair begins as row `first` of `count`, and a step goes on by so many.
    __device__ inline void begin(int r, long long first, long long count, int step) {
        period = (int)(step == 1 ? count : count >> 1);
        left[r] = (int)whole(count - first, step);
    }

    // Whether the first row follows after this step.
    __device__ inline bool turns(int r) {
        if (--left[r] > 0) return false;
        left[r] = period;
        return true;
    }
};

// Where a lane's vectors of SIZE elements come from, counted from the strip's column 0, which is column `column` of
// a line: each is a whole one, somewhere in the line.
template <int GROUPS, int N, int SIZE>
__device__ inline void find_places(long long column, long long count, int lane, int (&places)[GROUPS * N / SIZE]) {
#pragma unroll
    for (int v = 0; v < GROUPS * N / SIZE; ++v) {
        const long long j = column + v * SIZE / N * 32 * N + v * SIZE % N + lane * N;
        places[v] = (int)(wrapped(j, count) - column);
    }
}

// The same counted from the first of them.
template <int COUNT>
__device__ inline void from_first(int (&places)[COUNT]) {
    const int first = places[0];
#pragma unroll
    for (int v = 0; v < COUNT; ++v) places[v] -= first;
}

// Which of a lane's vectors are written: those of lanes FIRST .. END whose columns are among from .. to.
template <int GROUPS, int N, int SIZE, int FIRST, int END>
__device__ inline unsigned vectors_written(int from, int to, int lane) {
    unsigned all = 0;
#pragma unroll
    for (int v = 0; v < GROUPS * N / SIZE; ++v) {
        const int l = v * SIZE / N * 32 + lane, c = l * N + v * SIZE % N;
        if (l >= FIRST && l < END && c >= from && c < to) all |= 1u << v;
    }
    return all;
}

// Rows low .. high of a block.
__device__ inline unsigned rows_written(int low, int high) {
    const int first = (int)larger(low, 0), end = (int)smaller(high, 31);
    return first < end ? (1u << end) - (1u << first) : 0;
}

// Which vectors a walk writes, of approximations and of details, and with three axes which rows of a block.
struct Vectors {
    unsigned vectors[2];
    unsigned rows[2];
};

// Writes a lane's vectors, the first at `at`.
template <int GROUPS, int N>
__device__ inline void put_round(value* at, unsigned vectors, const work (&x)[GROUPS * N]) {
    typedef typename Vector<N>::Type Wide;
    constexpr int SIZE = Vector<N>::SIZE;
    Wide* const to = (Wide*)at;
#pragma unroll
    for (int v = 0; v < GROUPS * N / SIZE; ++v) {
        if (!(vectors >> v & 1)) continue;
        Wide wide;
#pragma unroll
        for (int i = 0; i < SIZE; ++i) wide.element[i] = (value)x[v * SIZE + i];
        to[v * SIZE / N * 32 * (N / SIZE) + v * SIZE % N / SIZE] = wide;
    }
}
