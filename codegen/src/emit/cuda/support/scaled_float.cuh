__device__ inline value scaled(value x, double gain, long long divide) {
    return divide ? (value)(x / (value)gain) : (value)(x * (value)gain);
}
