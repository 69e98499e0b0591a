// Where every element of a lane comes from on all of a walk at an end, in elements from the strip's column 0, and which
// vectors lie in a row there, aligned, as those of rows that are aligned in different ways do not.
template <int GROUPS, int N>
struct Columns {
    static constexpr int SIZE = Vector<N>::SIZE;

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
                offset[v * SIZE + i] = source.across.place(place + i);
                fits = fits & (offset[v * SIZE + i] != ABSENT) & (offset[v * SIZE + i] == offset[v * SIZE] + i);
            }
            if (fits && (source.column + offset[v * SIZE]) % SIZE == 0) whole |= 1u << v;
        }
    }
};
