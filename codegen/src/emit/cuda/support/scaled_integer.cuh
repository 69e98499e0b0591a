// Gains are whole numbers here; division rounds towards minus infinity.
__device__ inline value scaled(value x, double gain, long long divide) {
    const long long whole = (long long)gain;
    return (value)(divide ? floor_divided(x, whole) : x * whole);
}

// Sums that wrap around, for values that may be thrown away.
__device__ inline work plus(work a, work b) {
    return (work)((unsigned long long)a + (unsigned long long)b);
}

__device__ inline work minus(work a, work b) {
    return (work)((unsigned long long)a - (unsigned long long)b);
}

__device__ inline work times(work a, work b) {
    return (work)((unsigned long long)a * (unsigned long long)b);
}
