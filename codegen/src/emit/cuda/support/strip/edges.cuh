// The elements at the ends of a row of which sums beyond them are made: the first, the second, the last and the one before
// it. Lanes 0 to 3 bring them.
static constexpr int EDGES = 4;

// Weights of the edges in the sums that are a lane's elements of a group.
template <int N>
struct alignas(16) Weights {
    work near[N];
    work far[N];
};

// What is added to copies of elements to make what stands beyond the ends of a row.
template <int GROUPS, int N>
struct Edges {
    // Where the lane's edge is, in elements from the strip's column 0; absent where none is added.
    int place;
    // Which of its elements stand beyond an end, and in which groups after the last element.
    unsigned long long beyond;
    unsigned after;
    // The weight of the copies.
    work own;
    // The lane's weights, for walks in shared memory: registers are for these.
    Weights<N>* weights;

    // `column` is that of the strip's column 0; weights of one group stand APART from those of the next.
    template <int APART>
    __device__ inline void find(const Axis& axis, long long column, int lane, Weights<N>* all) {
        // Sums are the same at either end.
        const End& e = axis.ends[0];
        const bool touches = axis.summed && (column < 0 || column + GROUPS * 32 * N > axis.count);
        const bool added = touches && (e.near != 0 || e.far != 0);
        place = added && lane < EDGES ? (int)((lane < 2 ? lane : axis.count + 1 - lane) - column) : ABSENT;
        own = (work)e.own;
        beyond = 0;
        after = 0;
        weights = all;
        const int before = clamped(-column), behind = clamped(column - axis.count + 1);
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) {
            const int at = (i / N * 32 + lane) * N + i % N;
            const bool later = behind + at > 0;
            const int d = later ? behind + at : before - at;
            if (touches && d > 0) beyond |= 1ull << i;
            if (touches && later) after |= 1u << i / N;
            weights[i / N * APART].near[i % N] = (work)(e.near + e.slope * d);
            weights[i / N * APART].far[i % N] = (work)(e.far * d);
        }
    }

    // Copies the lane's edge of a row, if there is one, to a slot.
    __device__ inline void load(value* slots, const value* row, int slot) const {
        if (place == ABSENT) return;
        value* const own = slots + slot * EDGES + (threadIdx.x & 31);
        if (row != nullptr) {
            copy_one(own, row + place);
        } else {
            *own = 0;
        }
    }

    // Adds to row `c` of a walk, as it was copied to a slot, what is missing.
    __device__ inline void add(const Source& source, const Columns<GROUPS, N>& columns, const value* slots, int c, int slot, work (&x)[GROUPS * N]) const {
        work edge = place != ABSENT ? (work)slots[slot * EDGES + (threadIdx.x & 31)] : 0;
        if (source.rows.summed && (c < source.down.lo || c >= source.down.hi)) sum_rows(source, columns, c, edge, x);
        sum<32>(edge, x);
    }

    // The rest of the sums that make row `c`, which lies beyond the first or last one: of the lane's columns, and of its edge.
    __device__ inline void sum_rows(const Source& source, const Columns<GROUPS, N>& columns, int c, work& edge, work (&x)[GROUPS * N]) const {
        const bool later = c >= source.down.hi;
        const End& e = source.rows.ends[later];
        const int d = later ? c - source.down.hi + 1 : source.down.lo - c;
        const work own = (work)e.own, near = (work)(e.near + e.slope * d), far = (work)(e.far * d);
        const value* const end = source.array + source.column + (later ? source.rows.count - 1 : 0) * source.stride;
        const value* const next = end + (later ? -source.stride : source.stride);
        const auto complete = [&](int offset, work& sum) {
            if (offset == ABSENT) return;
            sum *= own;
            // A weight of 0 means that a sample is absent, even if it is not finite.
            if (near != 0) sum += near * end[offset];
            if (far != 0) sum += far * next[offset];
        };
#pragma unroll
        for (int i = 0; i < GROUPS * N; ++i) complete(columns.offset[i], x[i]);
        complete(place, edge);
    }

    // The rest of the sums, of the lanes' edges.
    template <int APART>
    __device__ inline void sum(work edge, work (&x)[GROUPS * N]) const {
#pragma unroll
        for (int g = 0; g < GROUPS; ++g) {
            const int from = after >> g & 1 ? 2 : 0;
            const work end = __shfl_sync(0xffffffffu, edge, from), next = __shfl_sync(0xffffffffu, edge, from + 1);
            if ((beyond >> g * N & ((1ull << N) - 1)) == 0) continue;
            const Weights<N> weight = weights[g * APART];
#pragma unroll
            for (int i = 0; i < N; ++i) {
                if (!(beyond >> (g * N + i) & 1)) continue;
                work& sum = x[g * N + i];
                sum *= own;
                // A weight of 0 means that a sample is absent, even if it is not finite.
                if (weight.near[i] != 0) sum += weight.near[i] * end;
                if (weight.far[i] != 0) sum += weight.far[i] * next;
            }
        }
    }
};
