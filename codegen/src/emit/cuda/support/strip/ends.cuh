// A line of an array and how it goes on: element j stands at position step * j + offset of what the
// rule extends (a band is every other position of the interleaved bands).
struct Line {
    long long kind;
    long long len;
    long long step;
    long long offset;
};

// A term of element j of a line.
__device__ inline Term term_of(const Line& line, long long j, int term) {
    Term one = extended(line.kind, line.step * j + line.offset, line.len, term);
    // Every rule keeps the parity of interleaved bands.
    one.index = (one.index - line.offset) >> (line.step - 1);
    return one;
}

// Whether elements beyond the ends are more than copies of others: sums or negatives.
__device__ inline bool sums(const Line& line) {
    return line.kind >= 5 && line.kind <= 7;
}

// Lines of more elements are looked up one by one: places are ints.
static constexpr long long LONGEST = 1 << 30;

// So are sums of shorter lines: both ends may stand among a lane's neighbouring elements.
static constexpr long long SHORTEST = 8;

__device__ inline bool exists(long long j, long long count) {
    return j >= 0 && j < count;
}

__device__ inline long long larger(long long a, long long b) {
    return a > b ? a : b;
}

__device__ inline long long smaller(long long a, long long b) {
    return a < b ? a : b;
}

// Steps until i is reached.
__device__ inline long long whole(long long i, int step) {
    return step == 1 ? i : (i + 1) >> 1;
}

// Where there is no element.
static constexpr int ABSENT = -0x7fffffff;

// As an int, which is enough to compare with columns of a strip.
__device__ inline int clamped(long long i) {
    return (int)larger(smaller(i, 1 << 20), -(1 << 20));
}

// What stands beyond one end of a line, as long as that is less than a line's length away: element j is
// own * x[base + turn * j] + (near + slope * d) * x[end] + far * d * x[end's neighbour], d steps
// beyond the end.
struct End {
    long long base;
    int turn;
    int own;
    int near;
    int slope;
    int far;
};

// A direction in which a strip reads beyond the ends: `count` elements exist, first .. end are needed.
struct Axis {
    Line line;
    long long count;
    long long first;
    long long end;
    End ends[2];
    bool summed;  // some elements are sums or negatives of others
    bool far;     // needed elements lie more than a line's length away, or further than an int counts
};

__device__ inline End end_of(const Line& line, bool after) {
    const long long n = line.len;
    End e = {0, 1, 1, 0, 0, 0};
    switch (n == 1 && line.kind >= 1 && line.kind <= 7 && line.kind != 6 ? 1 : line.kind) {
        case 1:
            e.turn = 0;
            e.base = after ? n - 1 : 0;
            break;
        case 6:
            e.own = -1;
        case 2:
            e.turn = -1;
            e.base = after ? 2 * n - 1 : -1;
            break;
        case 7:
            e.own = -1;
            e.near = 2;
        case 3:
            e.turn = -1;
            e.base = after ? 2 * n - 2 : 0;
            break;
        case 4:
            e.base = after ? -n : n;
            break;
        case 8:
            e.base = (after ? -1 : 1) * (n + (n & 1));
            break;
        case 5:
            e.own = 0;
            e.near = e.slope = 1;
            e.far = -1;
            break;
        default:
            e.own = 0;
    }
    // From positions to elements; every rule keeps the parity of interleaved bands.
    e.base = (e.base + (e.turn - 1) * line.offset) >> (line.step - 1);
    return e;
}

__device__ __noinline__ void fill(Axis* axis, long long kind, long long len, long long step, long long offset, long long count, long long first, long long end) {
    const Line line = {kind, len, step, offset};
    axis->line = line;
    axis->count = count;
    axis->first = first;
    axis->end = end;
    axis->ends[0] = end_of(line, false);
    axis->ends[1] = end_of(line, true);
    axis->summed = sums(line);
    axis->far = kind != 0 && (step * (1 - first) >= len || step * (end - count + 1) >= len || len >= LONGEST || (axis->summed && count < SHORTEST));
}

// The copy that element j beyond an end is (or, in a sum, begins with); a weight of 0 if there is none.
__device__ inline Term beyond(const Axis& axis, long long j) {
    const End& e = axis.ends[j < 0 ? 0 : 1];
    const long long index = e.base + e.turn * j;
    const bool needed = j >= axis.first && j < axis.end;
    // An odd line with an even period repeats its last element.
    return Term{exists(index, axis.count) ? index : axis.count - 1, needed ? e.own : 0};
}

// A direction in whole numbers that are counted from where a strip begins, as far as it may read: elements lo .. hi
// exist, first .. end are needed; element c beyond an end is a copy of base + turn * c there.
struct Near {
    int lo;
    int hi;
    int first;
    int end;
    int turn[2];
    bool own[2];
    long long base[2];
    long long begin;
    long long last;

    __device__ inline void count(const Axis& axis, long long from) {
        lo = clamped(-from);
        hi = clamped(axis.count - from);
        first = clamped(axis.first - from);
        end = clamped(axis.end - from);
        begin = -from;
        last = axis.count - 1 - from;
#pragma unroll
        for (int after = 0; after < 2; ++after) {
            const End& e = axis.ends[after];
            turn[after] = e.turn;
            own[after] = e.own != 0;
            base[after] = e.base + (e.turn - 1) * from;
        }
    }

    __device__ inline void need_all() {
        first = -(1 << 20);
        end = 1 << 20;
    }

    // Where element c is, counted in the same way; false if there is nothing.
    __device__ inline bool find(int c, long long& from) const {
        from = c;
        if (c >= lo && c < hi) return true;
        const int after = c < lo ? 0 : 1;
        from = base[after] + (long long)(turn[after] * c);
        // An odd line with an even period repeats its last element.
        if (from < begin || from > last) from = last;
        return own[after] && c >= first && c < end;
    }

    // The same for lanes that ask for different elements, of which none goes another way: as an int, ABSENT if there is nothing.
    __device__ inline int place(int c) const {
        const bool inside = (c >= lo) & (c < hi), after = c >= hi;
        const long long from = (after ? base[1] : base[0]) + (long long)((after ? turn[1] : turn[0]) * c);
        const int copy = (int)((from < begin) | (from > last) ? last : from);
        const bool some = (after ? own[1] : own[0]) & (c >= first) & (c < end);
        return inside ? c : some ? copy : ABSENT;
    }
};

// What a strip at an end reads of one array: `array` is column 0 of row 0, `column` the strip's column 0.
// and `row` the row in which a walk begins. Both directions are counted from there, too.
struct Source {
    const value* array;
    long long stride;
    long long column;
    long long row;
    Axis rows;
    Axis columns;
    Near down;
    Near across;

    __device__ inline void count() {
        down.count(rows, row);
        across.count(columns, column);
    }
};

// What it writes: rows of the walk's iterations begin .. end, columns from .. to of the strip.
struct Target {
    int begin;
    int end;
    int from;
    int to;
};

// A row, element by element, of arrays that may be so short that filters reach around them: a lane's elements, `count`
// of them in groups of n, on the warp's desk.
__device__ __noinline__ void sum_far(const Source& source, long long row, long long column, int lane, int n, int count, work* desk) {
    for (int i = 0; i < count; ++i) {
        const int place = (i / n * 32 + lane) * n + i % n;
        work sum = 0;
        const long long j = column + place;
        if (exists(j, source.columns.count) || (j >= source.columns.first && j < source.columns.end)) {
            for (int r = 0; r < terms(source.rows.line.kind); ++r) {
                const Term down = term_of(source.rows.line, row, r);
                if (down.weight == 0) continue;
                const value* const line = source.array + down.index * source.stride;
                for (int c = 0; c < terms(source.columns.line.kind); ++c) {
                    const Term one = term_of(source.columns.line, j, c);
                    if (one.weight != 0) sum += (work)(down.weight * one.weight) * line[one.index];
                }
            }
        }
        desk[place] = sum;
    }
}

// What a walk writes: either row of a pair in iterations begin .. end, of approximations and of details columns
// from .. to of the strip.
struct Written {
    int begin[2];
    int end[2];
    int from[2];
    int to[2];
};

template <int INPUTS, int OUTPUTS>
struct Ends {
    Source source[INPUTS];
    Target target[OUTPUTS > 0 ? OUTPUTS : 1];
};
