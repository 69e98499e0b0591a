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
// copied itself, so nobody waits for others. WALKS, CROSSES: whether rows, columns are transformed, and
// so go on beyond the ends. SUMS: whether what stands there may be more than copies of elements near by.
template <int GROUPS, int N, bool SHIFTED, int DEPTH, bool WALKS, bool CROSSES, bool SUMS>
struct Ring {
    static constexpr int ROW = GROUPS * 32 * N;
    static constexpr int SIZE = Vector<N>::SIZE;

    value* slots;
    int shift;
    int step;
    int offset[GROUPS * N / SIZE];
    unsigned whole;
    bool summed;

    __device__ inline Ring(value* ring, const value* at, long long stride)
        : slots(ring), shift(misaligned<N>(at)), step((int)(stride & (Vector<N>::SIZE - 1))) {}

    __device__ inline void load(const value* at, int lane, int slot) {
        value* const to = slots + slot * ROW + lane * N;
        const int behind = SHIFTED ? misaligned<N>(at) : 0;
        const value* const from = at - behind + lane * N;
#pragma unroll
        for (int g = 0; g < GROUPS; ++g) {
#pragma unroll
            for (int v = 0; v < N; v += SIZE) {
                copy_ahead<SIZE * sizeof(value)>(to + g * 32 * N + v, from + g * 32 * N + v);
            }
        }
    }

    // For a strip at an end: where every vector of a lane comes from, in elements from the strip's column
    // 0, if it is one there. Where a line begins anew, what stands beyond an end is as wide as anything else.
    __device__ inline void prepare(const Source& source, int lane) {
        summed = source.rows.far || source.columns.far || source.rows.summed || source.columns.summed;
        whole = 0;
        // Rows that are aligned in different ways have no such places; a single one needs none.
        if (SHIFTED || !WALKS) return;
        const bool aligned = misaligned<N>(source.array) == 0 && misaligned<N>((const value*)0 + source.stride) == 0;
#pragma unroll
        for (int v = 0; v < GROUPS * N / SIZE; ++v) {
            long long column = source.column + v * SIZE / N * 32 * N + v * SIZE % N + lane * N;
            if (column < 0 || column + SIZE > source.columns.count) {
                const End& e = source.columns.ends[column < 0 ? 0 : 1];
                if (e.turn == 1 && e.own == 1) column += e.base;
            }
            const long long way = column - source.column;
            const bool fits = column >= 0 && column + SIZE <= source.columns.count && way == (int)way;
            if (fits && aligned && column % SIZE == 0) whole |= 1u << v;
            offset[v] = (int)way;
        }
    }

    // The same where rows and columns may lie beyond the ends: what is a copy of another is copied.
    __device__ inline void load_ends(const Source& source, const value* at, long long row, int lane, int slot) {
        if (SUMS && (source.rows.far || source.columns.far)) return;
        // Where the walk stands, even if the row there is a copy of another.
        const int behind = SHIFTED ? misaligned<N>(at) : 0;
        bool absent = false;
        if (WALKS && !exists(row, source.rows.count)) {
            const Term from = beyond(source.rows, row);
            absent = from.weight == 0;
            at = source.array + from.index * source.stride + source.column;
        }
        const long long count = source.columns.count;
        const long long first = source.column - behind + lane * N;
        const value* const line = at - source.column;
        value* const to = slots + slot * ROW + lane * N;
#pragma unroll
        for (int v = 0; v < GROUPS * N / SIZE; ++v) {
            const int place = v * SIZE / N * 32 * N + v * SIZE % N;
            if (!absent && (whole >> v & 1)) {
                copy_ahead<SIZE * sizeof(value)>(to + place, at + offset[v]);
                continue;
            }
            const long long column = first + place;
            if (SHIFTED && !absent && column >= 0 && column + SIZE <= count && misaligned<N>(line + column) == 0) {
                copy_ahead<SIZE * sizeof(value)>(to + place, line + column);
                continue;
            }
#pragma unroll 1
            for (int i = 0; i < SIZE; ++i) {
                Term one = {column + i, 1};
                if (!exists(column + i, count)) one = beyond(source.columns, column + i);
                if (absent || one.weight == 0) {
                    to[place + i] = 0;
                } else {
                    copy_one(to + place + i, line + one.index);
                }
            }
        }
    }

    // Where lines begin anew: every vector of a lane is a whole one, somewhere in its row.
    __device__ inline void load_round(const value* at, const int (&places)[GROUPS * N / SIZE], int lane, int slot) {
        value* const to = slots + slot * ROW + lane * N;
#pragma unroll
        for (int v = 0; v < GROUPS * N / SIZE; ++v) {
            copy_ahead<SIZE * sizeof(value)>(to + v * SIZE / N * 32 * N + v * SIZE % N, at + places[v]);
        }
    }

    __device__ inline void take(int lane, int slot, work (&x)[GROUPS * N]) {
        unpack<GROUPS, N>(slots + slot * ROW + lane * N, x);
        settle(lane, x);
    }

    __device__ inline void take_ends(const Source& source, long long row, int lane, int slot, work* desk, work (&x)[GROUPS * N]) {
        const long long column = source.column - (SHIFTED ? shift : 0);
        if (!SUMS || !summed) {
            unpack<GROUPS, N>(slots + slot * ROW + lane * N, x);
        } else if (source.rows.far || source.columns.far) {
            sum_far(source, row, column, lane, N, GROUPS * N, desk);
#pragma unroll
            for (int i = 0; i < GROUPS * N; ++i) x[i] = desk[(i / N * 32 + lane) * N + i % N];
        } else {
            unpack<GROUPS, N>(slots + slot * ROW + lane * N, x);
            if (WALKS && source.rows.summed && !exists(row, source.rows.count)) sum_rows(source, row, column, lane, x);
            if (CROSSES && source.columns.summed && (column < 0 || column + ROW > source.columns.count)) {
                sum_columns(source, row, column, lane, x);
            }
        }
        settle(lane, x);
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
