// Where a sample beyond the ends of a line comes from: a sum of weighted samples.
struct Term {
    long long index;
    long long weight;
};

__device__ inline long long floor_divided(long long i, long long n) {
    const long long rest = i % n;
    return (i - (rest < 0 ? rest + n : rest)) / n;
}

// Where i is in its period of n, and which period that is. What is asked for lies a filter's or a
// tile's reach beyond a line, mostly within one period: counting is shorter than dividing.
struct Turned {
    long long rest;
    long long turns;
};

__device__ inline Turned turned(long long i, long long n) {
    long long turns = 0;
    for (; i < 0; i += n) --turns;
    for (; i >= n; i -= n) ++turns;
    return Turned{i, turns};
}

// How many terms a sample can have.
__device__ inline int terms(long long kind) {
    return kind == 5 ? 2 : kind == 7 ? 4 : 1;
}

// A term of sample i of a line of n samples (n > 0); a weight of 0 means that it is absent.
__device__ inline Term extended(long long kind, long long i, long long n, int term) {
    const Term absent = {0, 0};
    const long long last = n - 1;
    if ((i >= 0 && i < n) || (n == 1 && kind >= 1 && kind <= 7 && kind != 6)) {
        const Term own = {n == 1 ? 0 : i, 1};
        return term == 0 ? own : absent;
    }
    long long rest;
    switch (kind) {
        case 1:  // constant
            return Term{i < 0 ? 0 : last, 1};
        case 2:  // symmetric, half-sample
        case 6:  // antisymmetric, half-sample
            rest = turned(i, 2 * n).rest;
            return Term{rest < n ? rest : 2 * n - 1 - rest, (kind == 6 && rest >= n) ? -1 : 1};
        case 3:  // reflect, whole-sample
            rest = turned(i, 2 * last).rest;
            return Term{rest <= last ? rest : 2 * last - rest, 1};
        case 4:  // periodic
            return Term{turned(i, n).rest, 1};
        case 8:  // periodic with an even period: an odd line repeats its last sample
            rest = turned(i, n + (n & 1)).rest;
            return Term{rest < last ? rest : last, 1};
        case 5: {  // smooth: the line through the two end samples
            const long long distance = i < 0 ? -i : i - last;
            if (term == 0) return Term{i < 0 ? 0 : last, 1 + distance};
            return Term{i < 0 ? 1 : last - 1, -distance};
        }
        case 7: {  // antireflect, whole-sample point mirror
            const Turned place = turned(i, 2 * last);
            rest = place.rest;
            if (term == 2) return Term{last, 2 * place.turns};
            if (term == 3) return Term{0, -2 * place.turns};
            if (rest <= last) return term == 0 ? Term{rest, 1} : absent;
            return term == 0 ? Term{last, 2} : Term{2 * last - rest, -1};
        }
        default:  // zero
            return absent;
    }
}

// The same address, in a way that keeps compilers from holding all that is behind it in registers
// from one round of a loop to the next.
template <class T>
__device__ inline const T& reread(const T& value) {
    const T* address = &value;
#ifdef __CUDACC__
    asm volatile("" : "+l"(address));
#endif
    return *address;
}
