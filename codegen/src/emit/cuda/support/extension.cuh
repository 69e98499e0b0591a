// Where a sample beyond the ends of a line comes from: at most four weighted samples.
struct Extended {
    long long index[4];
    long long weight[4];
};

__device__ inline long long wrapped(long long i, long long n) {
    const long long rest = i % n;
    return rest < 0 ? rest + n : rest;
}

__device__ inline long long floor_divided(long long i, long long n) {
    return (i - wrapped(i, n)) / n;
}

// Sample i of a line of n samples (n > 0); a weight of 0 means that the term is absent.
__device__ inline Extended extended(long long kind, long long i, long long n) {
    Extended e = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    if (i >= 0 && i < n) {
        e.index[0] = i;
        e.weight[0] = 1;
        return e;
    }
    const long long last = n - 1;
    long long rest;
    switch (kind) {
        case 1:  // constant
            e.index[0] = i < 0 ? 0 : last;
            e.weight[0] = 1;
            break;
        case 2:  // symmetric, half-sample
        case 6:  // antisymmetric, half-sample
            rest = wrapped(i, 2 * n);
            e.index[0] = rest < n ? rest : 2 * n - 1 - rest;
            e.weight[0] = (kind == 6 && rest >= n) ? -1 : 1;
            break;
        case 3:  // reflect, whole-sample
            rest = n == 1 ? 0 : wrapped(i, 2 * last);
            e.index[0] = rest <= last ? rest : 2 * last - rest;
            e.weight[0] = 1;
            break;
        case 4:  // periodic
            e.index[0] = wrapped(i, n);
            e.weight[0] = 1;
            break;
        case 8:  // periodic with an even period: an odd line repeats its last sample
            rest = wrapped(i, n + (n & 1));
            e.index[0] = rest < last ? rest : last;
            e.weight[0] = 1;
            break;
        case 5: {  // smooth: the line through the two end samples
            const long long distance = i < 0 ? -i : i - last;
            e.index[0] = i < 0 ? 0 : last;
            if (n == 1) {
                e.weight[0] = 1;
                break;
            }
            e.weight[0] = 1 + distance;
            e.index[1] = i < 0 ? 1 : last - 1;
            e.weight[1] = -distance;
            break;
        }
        case 7: {  // antireflect, whole-sample point mirror
            if (n == 1) {
                e.weight[0] = 1;
                break;
            }
            const long long turns = floor_divided(i, 2 * last);
            rest = wrapped(i, 2 * last);
            if (rest <= last) {
                e.index[0] = rest;
                e.weight[0] = 1;
            } else {
                e.index[0] = last;
                e.weight[0] = 2;
                e.index[1] = 2 * last - rest;
                e.weight[1] = -1;
            }
            e.index[2] = last;
            e.weight[2] = 2 * turns;
            e.index[3] = 0;
            e.weight[3] = -2 * turns;
            break;
        }
        default:  // zero
            break;
    }
    return e;
}
