// A row that needs no extension, on its way into registers, loaded ahead. SHIFTED: rows may not be
// aligned, are loaded aligned and shifted into place; the strip's last lane then has no meaning.
template <int GROUPS, int N, bool SHIFTED>
struct Arrival {
    value raw[GROUPS * N];
    int shift;

    // `at` is the strip's column 0.
    __device__ inline void load(const value* at, int lane) {
        shift = SHIFTED ? misaligned<N>(at) : 0;
        unpack<GROUPS, N>(at - shift + lane * N, raw);
    }

    __device__ inline void take(int lane, work (&x)[GROUPS * N]) const {
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) x[i] = raw[i];
        if (SHIFTED) advance<GROUPS, N>(x, lane, shift);
    }
};

// The same by way of a ring in shared memory: rows arrive DEPTH - 1 pairs ahead. A lane reads what it
// copied itself, so nobody waits for others. All lanes' vectors v stand side by side: where a lane's own do, two lanes
// of an access meet in one bank. LOOKS: whether a walk looks up every element by itself, which may be a sum or far away.
template <int GROUPS, int N, bool SHIFTED, int DEPTH, bool LOOKS>
struct Ring {
    static constexpr int ROW = GROUPS * 32 * N;
    static constexpr int SIZE = Vector<N>::SIZE;
    // Vectors of a lane, and elements from one to the next.
    static constexpr int VECTORS = GROUPS * N / SIZE;
    static constexpr int APART = 32 * SIZE;

    // The lane's elements of the first slot.
    value* slots;
    int shift;
    int step;

    __device__ inline Ring(value* ring, const value* at, long long stride, int lane)
        : slots(DEPTH > 1 ? kept(ring + lane * SIZE) : ring + lane * SIZE), shift(misaligned<N>(at)), step((int)(stride & (Vector<N>::SIZE - 1))) {}

    // `at` is the lane's first element.
    __device__ inline void load(const value* at, int slot) {
        value* const to = slots + slot * ROW;
        const value* const from = at - (SHIFTED ? misaligned<N>(at) : 0);
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) {
            copy_ahead<SIZE * sizeof(value)>(to + v * APART, from + v * SIZE / N * 32 * N + v * SIZE % N);
        }
    }

    // For a walk at an end, row `c` of it, which may lie beyond the ends: what is a copy of another is copied. Column 0 of the
    // row that was copied, if there is one.
    __device__ inline const value* load_ends(const Source& source, const Columns<GROUPS, N>& columns, const value* at, int c, int slot) {
        if (LOOKS) return nullptr;
        value* const to = slots + slot * ROW;
        long long from;
        const bool some = source.down.find(c, from);
        if (from != c) at += (from - c) * source.stride;
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) {
            value* const own = to + v * APART;
            if (some && (columns.whole >> v & 1)) {
                copy_ahead<SIZE * sizeof(value)>(own, at + columns.offset[v * SIZE]);
                continue;
            }
#pragma unroll
            for (int i = 0; i < SIZE; ++i) {
                const int offset = columns.offset[v * SIZE + i];
                if (some && offset != ABSENT) {
                    copy_one(own + i, at + offset);
                } else {
                    own[i] = 0;
                }
            }
        }
        return some ? at : nullptr;
    }

    // A single row: vectors that exist as a whole, others element by element.
    __device__ inline void look_up(const Source& source, const value* at, int lane, int slot) {
        if (source.columns.far) return;
        value* const to = slots + slot * ROW;
        const Near& near = source.across;
        const int behind = SHIFTED ? misaligned<N>(at) : 0;
        const bool aligned = misaligned<N>(at - behind) == 0;
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) {
            value* const own = to + v * APART;
            const int c = lane * N - behind + v * SIZE / N * 32 * N + v * SIZE % N;
            if (aligned && c >= near.lo && c + SIZE <= near.hi) {
                copy_ahead<SIZE * sizeof(value)>(own, at + c);
                continue;
            }
#pragma unroll 1
            for (int i = 0; i < SIZE; ++i) {
                long long from;
                if (near.find(c + i, from)) {
                    copy_one(own + i, at + from);
                } else {
                    own[i] = 0;
                }
            }
        }
    }

    // Where lines begin anew: every vector of a lane is a whole one, somewhere in its row.
    __device__ inline void load_round(const value* at, const int (&places)[VECTORS], int slot) {
        value* const to = slots + slot * ROW;
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) copy_ahead<SIZE * sizeof(value)>(to + v * APART, at + places[v]);
    }

    __device__ inline void take(int lane, int slot, work (&x)[GROUPS * N]) {
        unpack<VECTORS, SIZE>(slots + slot * ROW, x);
        settle(lane, x);
    }

    // Row `c` of a walk, as it was loaded, or looked up.
    __device__ inline void take_ends(const Source& source, int c, int lane, int slot, work* desk, work (&x)[GROUPS * N]) {
        if (LOOKS) {
            take_far(source, source.row + c, source.column, lane, desk, x);
        } else {
            unpack<VECTORS, SIZE>(slots + slot * ROW, x);
        }
    }

    // A single row.
    __device__ inline void take_row(const Source& source, int lane, work* desk, work (&x)[GROUPS * N]) {
        const long long column = source.column - (SHIFTED ? shift : 0);
        if (source.columns.far) {
            take_far(source, source.row, column, lane, desk, x);
        } else {
            unpack<VECTORS, SIZE>(slots, x);
            if (source.columns.summed) {
                Weights<N> weights[GROUPS];
                Edges<GROUPS, N> edges;
                edges.template find<1>(source.columns, column, lane, weights);
                edges.template sum<1>(edges.place != ABSENT ? (work)source.array[column + edges.place] : 0, x);
            }
        }
        settle(lane, x);
    }

    // Elements that may be further away, or any sums.
    __device__ inline void take_far(const Source& source, long long row, long long column, int lane, work* desk, work (&x)[GROUPS * N]) {
        sum_far(source, row, column, lane, N, GROUPS * N, desk);
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) x[i] = desk[(i / N * 32 + lane) * N + i % N];
    }

    // Into place, where rows are not aligned.
    __device__ inline void settle(int lane, work (&x)[GROUPS * N]) {
        if (SHIFTED) {
            advance<GROUPS, N>(x, lane, shift);
            shift = (shift + step) % Vector<N>::SIZE;
        }
    }
};
