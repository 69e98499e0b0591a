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

// Where every element of a lane comes from on all of a walk at an end, in elements from the strip's column 0, and which
// vectors lie in a row there, aligned, as those of rows that are aligned in different ways do not.
template <int GROUPS, int N>
struct Columns {
    static constexpr int SIZE = Vector<N>::SIZE;
    static constexpr int ABSENT = -0x7fffffff;

    int offset[GROUPS * N];
    unsigned whole;

    // Of arrays whose columns stand alike.
    template <int ARRAYS>
    __device__ inline void find(const Source* const (&read)[ARRAYS], int lane, bool shifted) {
        const Source& source = *read[0];
        bool aligned = !shifted;
#pragma unroll
        for (int i = 0; i < ARRAYS; ++i) {
            aligned = aligned && misaligned<N>(read[i]->array) == 0 && misaligned<N>((const value*)0 + read[i]->stride) == 0;
        }
        whole = 0;
#pragma unroll
        for (int v = 0; v < GROUPS * N / SIZE; ++v) {
            const int place = v * SIZE / N * 32 * N + v * SIZE % N + lane * N;
            bool fits = aligned;
#pragma unroll
            for (int i = 0; i < SIZE; ++i) {
                long long from;
                const bool some = source.across.find(place + i, from);
                offset[v * SIZE + i] = some ? (int)from : ABSENT;
                fits = fits && some && offset[v * SIZE + i] == offset[v * SIZE] + i;
            }
            if (fits && (source.column + offset[v * SIZE]) % SIZE == 0) whole |= 1u << v;
        }
    }
};

// The same by way of a ring in shared memory: rows arrive DEPTH - 1 pairs ahead. A lane reads what it
// copied itself, so nobody waits for others. All lanes' vectors v stand side by side: where a lane's own do, two lanes
// of an access meet in one bank. WALKS, CROSSES: whether rows, columns are transformed, and so go on beyond the ends.
// SUMS: whether what stands there may be more than copies of elements near by.
template <int GROUPS, int N, bool SHIFTED, int DEPTH, bool WALKS, bool CROSSES, bool SUMS>
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

    // For a walk at an end, row `c` of it, which may lie beyond the ends: what is a copy of another is copied.
    __device__ inline void load_ends(const Source& source, const Columns<GROUPS, N>& columns, const value* at, int c, int slot) {
        if (SUMS && (source.rows.far || source.columns.far)) return;
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
                if (some && offset != Columns<GROUPS, N>::ABSENT) {
                    copy_one(own + i, at + offset);
                } else {
                    own[i] = 0;
                }
            }
        }
    }

    // A single row: vectors that exist as a whole, others element by element.
    __device__ inline void look_up(const Source& source, const value* at, int lane, int slot) {
        if (SUMS && (source.rows.far || source.columns.far)) return;
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

    // Row `c` of a walk, as it was loaded, and what is summed.
    __device__ inline void take_ends(const Source& source, int c, int lane, int slot, work* desk, work (&x)[GROUPS * N]) {
        const long long row = source.row + c, column = source.column - (SHIFTED && !WALKS ? shift : 0);
        if (SUMS && (source.rows.far || source.columns.far)) {
            sum_far(source, row, column, lane, N, GROUPS * N, desk);
#pragma unroll
            for (int i = 0; i < GROUPS * N; ++i) x[i] = desk[(i / N * 32 + lane) * N + i % N];
        } else {
            unpack<VECTORS, SIZE>(slots + slot * ROW, x);
            if (SUMS && WALKS && source.rows.summed && !exists(row, source.rows.count)) sum_rows(source, row, column, lane, x);
            if (SUMS && CROSSES && source.columns.summed && (column < 0 || column + ROW > source.columns.count)) {
                sum_columns(source, row, column, lane, x);
            }
        }
        if (!WALKS) settle(lane, x);
    }

    // The rest of the sums that make a row beyond the first or last one, for every column's copy.
    __device__ inline void sum_rows(const Source& source, long long row, long long column, int lane, work (&x)[GROUPS * N]) {
        const int after = row < 0 ? 0 : 1;
        const End& e = source.rows.ends[after];
        const int d = (int)(after ? row - source.rows.count + 1 : -row);
        const value* const end = source.array + (after ? source.rows.count - 1 : 0) * source.stride;
        const value* const next = end + (after ? -source.stride : source.stride);
        const work own = (work)e.own, near = (work)(e.near + e.slope * d), far = (work)(e.far * d);
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) {
            const long long j = column + (i / N * 32 + lane) * N + i % N;
            const long long from = exists(j, source.columns.count) ? j : beyond(source.columns, j).index;
            // A weight of 0 means that a sample is absent, even if it is not finite.
            x[i] = e.own != 0 ? own * x[i] : 0;
            if (near != 0) x[i] += near * end[from];
            if (e.far != 0) x[i] += far * next[from];
        }
    }

    // A column of row `row`, which may lie beyond the first or last one.
    __device__ inline work cell(const Source& source, long long row, long long column) const {
        if (!WALKS || exists(row, source.rows.count)) return source.array[row * source.stride + column];
        const int after = row < 0 ? 0 : 1;
        const End& e = source.rows.ends[after];
        const int d = (int)(after ? row - source.rows.count + 1 : -row);
        const value* const end = source.array + (after ? source.rows.count - 1 : 0) * source.stride + column;
        const work near = (work)(e.near + e.slope * d);
        work sum = near != 0 ? near * end[0] : 0;
        if (e.own != 0) sum += (work)e.own * source.array[beyond(source.rows, row).index * source.stride + column];
        if (e.far != 0) sum += (work)(e.far * d) * end[after ? -source.stride : source.stride];
        return sum;
    }

    // The same for columns.
    __device__ inline void sum_columns(const Source& source, long long row, long long column, int lane, work (&x)[GROUPS * N]) {
        const long long count = source.columns.count;
#pragma unroll 1
        for (int after = 0; after < 2; ++after) {
            if (after ? column + ROW <= count : column >= 0) continue;
            const End& e = source.columns.ends[after];
            const work end = cell(source, row, after ? count - 1 : 0);
            const work next = e.far != 0 ? cell(source, row, after ? count - 2 : 1) : 0;
            const int first = clamped(after ? column - count + 1 : -column);
#pragma unroll
            for (int i = 0; i < GROUPS * N; ++i) {
                const int place = (i / N * 32 + lane) * N + i % N;
                const int d = after ? first + place : first - place;
                if (d <= 0) continue;
                const work near = (work)(e.near + e.slope * d);
                x[i] = e.own != 0 ? (work)e.own * x[i] : 0;
                if (near != 0) x[i] += near * end;
                if (e.far != 0) x[i] += (work)(e.far * d) * next;
            }
        }
    }

    // Into place, where rows are not aligned.
    __device__ inline void settle(int lane, work (&x)[GROUPS * N]) {
        if (SHIFTED) {
            advance<GROUPS, N>(x, lane, shift);
            shift = (shift + step) % Vector<N>::SIZE;
        }
    }
};
