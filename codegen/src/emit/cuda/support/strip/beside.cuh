// Strips along three axes: of every slice a lane holds a block of neighbouring rows, of each N elements; element i of
// row r stands at r * N + i.

// Value J of the lanes BY to the right (left if negative), of every row.
template <int ROWS, int N, int J, int BY>
__device__ inline void of_lanes(const work (&x)[ROWS * N], int lane, work (&y)[ROWS]) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) y[r] = __shfl_sync(0xffffffffu, x[r * N + J], (lane + BY) & 31);
}

// So many elements in one access.
template <int SIZE>
struct alignas(SIZE * sizeof(value)) Piece {
    value element[SIZE];
};

template <int SIZE>
__device__ inline void copy_piece(value* to, const value* from) {
    constexpr int BYTES = SIZE * sizeof(value);
    if (BYTES >= 4) {
        copy_ahead<BYTES >= 4 ? BYTES : 4>(to, from);
    } else {
        *to = *from;
    }
}

template <int SIZE>
__device__ inline bool is_aligned(const value* at, long long stride) {
    return (unsigned long long)at / sizeof(value) % SIZE == 0 && stride % SIZE == 0;
}

// How the arrays of a run go on along the middle axis, and where a block begins in them.
struct Lines {
    Axis axis;
    long long first;
};

// An array whose slices are read: elements from one to the next, and which column is the strip's column 0.
struct Slice {
    const value* array;
    long long stride;
    long long column;
};

// Rows of a block that are written: from .. to.
struct Shelf {
    int from;
    int to;
};

// What a strip at an end knows of its arrays: `rows` are both slices of a pair, `place` is which row of a slice each row
// of a block is, -1 if it is nothing.
template <int SIDES, int RUNS, int INPUTS, int OUTPUTS, int ROWS>
struct Blocks {
    Axis rows[2];
    Axis columns[SIDES];
    Lines lines[RUNS];
    Slice source[INPUTS];
    int place[RUNS][ROWS];
    Target target[OUTPUTS];
    Shelf shelf[OUTPUTS];

    // By so many threads, of which this is one.
    template <int THREADS>
    __device__ inline void find_rows(int thread) {
#pragma unroll 1
        for (int i = thread; i < RUNS * ROWS; i += THREADS) {
            const Lines& all = lines[i / ROWS];
            const long long row = all.first + i % ROWS;
            Term from = {row, 1};
            if (!exists(row, all.axis.count)) from = beyond(all.axis, row);
            place[i / ROWS][i % ROWS] = from.weight == 0 ? -1 : (int)from.index;
        }
    }
};

// Blocks on their way through a ring in shared memory, DEPTH - 1 pairs of slices ahead, SIZE elements at once. The blocks
// of WARPS warps stand in one ring, each STEP rows on from the one before it, and the warps load equal shares of all
// their rows; a lane of a single one reads what it copied itself, unless it copies nothing.
template <int ROWS, int N, int SIZE, int DEPTH, int WARPS, int STEP>
struct Block {
    static constexpr int ROW = 32 * N;
    static constexpr int HELD = ROWS + (WARPS - 1) * STEP;
    static constexpr int SHARE = (HELD + WARPS - 1) / WARPS;
    static constexpr int SLOT = HELD * ROW;

    value* slots;
    long long stride;
    int warp;
    int offset[N];
    unsigned some;
    unsigned whole;

    __device__ inline Block(value* ring, long long stride, int warp) : slots(ring), stride(stride), warp(warp) {}

    // Where the lane's elements of the warp's share are.
    __device__ inline value* share(int lane, int slot) const {
        return slots + slot * SLOT + warp * (SHARE * ROW) + lane * N;
    }

    // Whether the warp's share has so many rows: the last ones may have fewer.
    __device__ inline bool has(int r) const {
        return (WARPS - 1) * SHARE + r < HELD || warp * SHARE + r < HELD;
    }

    // `at` is the strip's column 0 in the first row of the warp's share.
    __device__ inline void load(const value* at, int lane, int slot) {
        value* const to = share(lane, slot);
        const value* from = at + lane * N;
#pragma unroll
        for (int r = 0; r < SHARE; ++r) {
            if (has(r)) {
#pragma unroll
                for (int v = 0; v < N; v += SIZE) copy_piece<SIZE>(to + r * ROW + v, from + v);
            }
            from += stride;
        }
    }

    // For a strip at an end: where every element of a lane comes from, in elements from the strip's column 0, if it is
    // anything, and which ones lie side by side there.
    __device__ inline void prepare(const Slice& source, const Axis& columns, int lane) {
        const bool aligned = is_aligned<SIZE>(source.array, source.stride) && stride % SIZE == 0;
        some = whole = 0;
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const long long column = source.column + lane * N + i;
            Term from = {column, 1};
            if (!exists(column, columns.count)) from = beyond(columns, column);
            offset[i] = (int)(from.index - source.column);
            if (from.weight != 0) some |= 1u << i;
        }
#pragma unroll
        for (int v = 0; v < N; v += SIZE) {
            bool fits = aligned && (source.column + offset[v]) % SIZE == 0;
#pragma unroll
            for (int i = 0; i < SIZE; ++i) fits = fits && (some >> (v + i) & 1) && offset[v + i] == offset[v] + i;
            if (fits) whole |= 1u << v;
        }
    }

    // The same where slices, rows and columns may be copies of others.
    __device__ inline void load_ends(const Slice& source, const Axis& rows, const int* place, long long slice, int lane, int slot) {
        Term near = {slice, 1};
        if (!exists(slice, rows.count)) near = beyond(rows, slice);
        const value* const from = source.array + near.index * source.stride + source.column;
        value* to = share(lane, slot);
#pragma unroll 1
        for (int r = 0; r < SHARE && has(r); ++r) {
            const int line = place[warp * SHARE + r];
            const bool absent = near.weight == 0 || line < 0;
            const value* const row = from + (absent ? 0 : line * stride);
#pragma unroll
            for (int v = 0; v < N; v += SIZE) {
                if (!absent && (whole >> v & 1)) {
                    copy_piece<SIZE>(to + v, row + offset[v]);
                    continue;
                }
#pragma unroll
                for (int i = v; i < v + SIZE; ++i) {
                    if (!absent && (some >> i & 1)) {
                        copy_piece<1>(to + i, row + offset[i]);
                    } else {
                        to[i] = 0;
                    }
                }
            }
            to += ROW;
        }
    }

    // Where lines begin anew.
    __device__ inline void load_places(const value* at, const int (&places)[N / SIZE], int lane, int slot) {
        value* const to = share(lane, slot);
#pragma unroll
        for (int r = 0; r < SHARE; ++r) {
            if (has(r)) {
#pragma unroll
                for (int v = 0; v < N; v += SIZE) copy_piece<SIZE>(to + r * ROW + v, at + places[v / SIZE]);
            }
            at += stride;
        }
    }

    // The same if rows of the share from `turn` on stand `lines` further back.
    __device__ inline void load_round(const value* at, const int (&places)[N / SIZE], int turn, long long lines, int lane, int slot) {
        value* const to = share(lane, slot);
#pragma unroll 1
        for (int r = 0; r < SHARE && has(r); ++r) {
            const value* const from = r < turn ? at : at - lines * stride;
#pragma unroll
            for (int v = 0; v < N; v += SIZE) copy_piece<SIZE>(to + r * ROW + v, from + places[v / SIZE]);
            at += stride;
        }
    }

    // Into elements FIRST and those after it.
    template <int FIRST, int COUNT>
    __device__ inline void take(int lane, int slot, work (&x)[COUNT]) const {
        const value* const from = slots + slot * SLOT + warp * (STEP * ROW) + lane * N;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
#pragma unroll
            for (int v = 0; v < N; v += SIZE) {
                const Piece<SIZE> piece = *(const Piece<SIZE>*)(from + r * ROW + v);
#pragma unroll
                for (int i = 0; i < SIZE; ++i) x[FIRST + r * N + v + i] = piece.element[i];
            }
        }
    }
};

// Writes ROWS rows, elements FIRST and those after it, of lanes BEGIN .. END; `at` is the strip's column 0 in the first
// row.
template <int ROWS, int N, int SIZE, int BEGIN, int END, int FIRST, int COUNT>
__device__ inline void put_block(value* at, long long stride, int lane, const work (&x)[COUNT]) {
    if (lane < BEGIN || lane >= END) return;
    value* to = at + lane * N;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int v = 0; v < N; v += SIZE) {
            Piece<SIZE> piece;
#pragma unroll
            for (int i = 0; i < SIZE; ++i) piece.element[i] = (value)x[FIRST + r * N + v + i];
            *(Piece<SIZE>*)(to + v) = piece;
        }
        to += stride;
    }
}

// The same where lines begin anew.
template <int ROWS, int N, int SIZE, int FIRST, int COUNT>
__device__ inline void put_block_round(value* at, long long stride, unsigned vectors, unsigned rows, int lane, const work (&x)[COUNT]) {
    value* to = at + lane * N;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (rows >> r & 1) {
#pragma unroll
            for (int v = 0; v < N; v += SIZE) {
                if (!(vectors >> v / SIZE & 1)) continue;
                Piece<SIZE> piece;
#pragma unroll
                for (int i = 0; i < SIZE; ++i) piece.element[i] = (value)x[FIRST + r * N + v + i];
                *(Piece<SIZE>*)(to + v) = piece;
            }
        }
        to += stride;
    }
}

// The same for a strip at an end: only columns and rows that exist and are the job's. The shelf is of warps of which
// those before this one have `before` rows.
template <int ROWS, int N, int SIZE, int BEGIN, int END, int FIRST, int COUNT>
__device__ inline void put_block_ends(value* at, long long stride, const Target& target, const Shelf& shelf, int before, int lane, const work (&x)[COUNT]) {
    if (lane < BEGIN || lane >= END) return;
    const bool aligned = is_aligned<SIZE>(at, stride);
    value* to = at;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (before + r >= shelf.from && before + r < shelf.to) {
#pragma unroll
            for (int v = 0; v < N; v += SIZE) {
                const int c = lane * N + v;
                if (aligned && c >= target.from && c + SIZE <= target.to) {
                    Piece<SIZE> piece;
#pragma unroll
                    for (int i = 0; i < SIZE; ++i) piece.element[i] = (value)x[FIRST + r * N + v + i];
                    *(Piece<SIZE>*)(to + c) = piece;
                    continue;
                }
#pragma unroll
                for (int i = 0; i < SIZE; ++i) {
                    if (c + i >= target.from && c + i < target.to) to[c + i] = (value)x[FIRST + r * N + v + i];
                }
            }
        }
        to += stride;
    }
}
