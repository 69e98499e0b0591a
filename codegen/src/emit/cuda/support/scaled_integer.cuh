// Gains are whole numbers here; division rounds towards minus infinity.
__device__ inline value scaled(value x, double gain, long long divide) {
    const long long whole = (long long)gain;
    return (value)(divide ? floor_divided(x, whole) : x * whole);
}
