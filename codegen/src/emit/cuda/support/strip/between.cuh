// Approximations between two levels of which those beyond the ends are copies of others: for every element of a lane
// where its column is found in the strip, and up to ROWS rows of a walk of which others are copies, on the warp's desk,
// which has room for one more.
template <int GROUPS, int N, int ROWS>
struct Between {
    static constexpr int ROW = GROUPS * 32 * N;

    int place[GROUPS * N];
    bool moves;
    int first;

    __device__ inline void find(const Source& source, int lane) {
        moves = source.across.lo > 0 || source.across.hi < ROW;
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) {
            const int c = (i / N * 32 + lane) * N + i % N;
            const int from = source.across.place(c);
            place[i] = from >= 0 && from < ROW ? from : ABSENT;
        }
        first = 0;
    }

    // The iterations begin .. end whose rows are those that the walk's iterations low .. high take for rows beyond an end.
    __device__ inline bool needs(const Source& source, int after, int low, int high, int& begin, int& end) {
        const Near& down = source.down;
        const int from = after && down.hi > low ? down.hi : low, to = after || down.lo > high ? high : down.lo;
        if (from >= to || !down.own[after]) return false;
        long long one, other;
        down.find(from, one);
        down.find(to - 1, other);
        begin = (int)smaller(one, other);
        end = (int)larger(one, other) + 1;
        first = begin;
        return true;
    }

    // Columns of a row that exists.
    __device__ inline void extend(work* desk, int lane, work (&x)[GROUPS * N]) const {
        if (!moves) return;
        work* const row = desk + ROWS * ROW;
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) row[(i / N * 32 + lane) * N + i % N] = x[i];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) x[i] = place[i] == ABSENT ? 0 : row[place[i]];
        __syncwarp();
    }

    // Keeps the row of iteration n.
    __device__ inline void keep(int n, work* desk, int lane, work (&x)[GROUPS * N]) const {
        const int slot = n - first;
        if (slot < 0 || slot >= ROWS) return;
        extend(desk, lane, x);
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) desk[slot * ROW + i * 32 + lane] = x[i];
    }

    // The row of iteration n, as the next level takes it.
    __device__ inline void take(const Source& source, int n, work* desk, int lane, work (&x)[GROUPS * N]) const {
        long long from;
        const bool some = source.down.find(n, from);
        if (some && from == n) return extend(desk, lane, x);
        const long long slot = from - first;
        const bool kept = some && slot >= 0 && slot < ROWS;
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) x[i] = kept ? desk[slot * ROW + i * 32 + lane] : 0;
    }
};
