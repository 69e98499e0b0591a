// The buffer of a number.
__device__ inline value* chosen(value* b0, value* b1, value* b2, long long number) {
    return number == 0 ? b0 : number == 1 ? b1 : b2;
}

// to[j] = sum of w(e -> j) from[e]: the transpose of an extension, gathered.
struct FoldJob {
    long long from_buffer, from_offset, to_buffer, to_offset;
    long long from_outer, to_outer, from_stride, to_stride, lanes, outer;
    long long from_len, to_len, first, to_first, step, extension, len;
};

extern "C" __global__ void fold(value* b0, value* b1, value* b2, const FoldJob job) {
    const value* const source = chosen(b0, b1, b2, job.from_buffer) + job.from_offset;
    value* const target = chosen(b0, b1, b2, job.to_buffer) + job.to_offset;
    const long long total = job.outer * job.to_len * job.lanes;
    const long long stride = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += stride) {
        const long long lane = i % job.lanes;
        const long long j = i / job.lanes % job.to_len;
        const long long outer = i / job.lanes / job.to_len;
        const value* from = source + outer * job.from_outer + lane;
        const long long here = job.to_first + job.step * j;
        // Margins fold back no further into the line than they reach out of it.
        const long long before = -job.first;
        const long long after = job.first + job.step * (job.from_len - 1) - (job.len - 1);
        const long long reach = (before > after ? before : after) + 1;
        if (here > reach && here < job.len - 1 - reach) {
            target[outer * job.to_outer + j * job.to_stride + lane] =
                from[(here - job.first) / job.step * job.from_stride];
            continue;
        }
        value sum = 0;
        for (long long e = 0; e < job.from_len; ++e) {
            const long long at = job.first + job.step * e;
            if (at >= 0 && at < job.len) {
                // Inside the line every sample stands for itself: jump to the one that is this.
                const long long own = (here - job.first) / job.step;
                if (own >= e && own < job.from_len) sum += from[own * job.from_stride];
                e = (job.len - 1 - job.first) / job.step;
                continue;
            }
            for (int term = 0; term < terms(job.extension); ++term) {
                const Term x = extended(job.extension, at, job.len, term);
                if (x.weight != 0 && x.index == here) {
                    sum += (value)x.weight * from[e * job.from_stride];
                }
            }
        }
        target[outer * job.to_outer + j * job.to_stride + lane] = sum;
    }
}

// A single sample: to = from * gain, or from / gain.
struct ScaleJob {
    long long from_buffer, from_offset, to_buffer, to_offset;
    long long from_outer, to_outer, lanes, outer;
    double gain;
    long long divide;
};

__device__ inline value scaled(value x, double gain, long long divide);

extern "C" __global__ void scale(value* b0, value* b1, value* b2, const ScaleJob job) {
    const value* const source = chosen(b0, b1, b2, job.from_buffer) + job.from_offset;
    value* const target = chosen(b0, b1, b2, job.to_buffer) + job.to_offset;
    const long long total = job.outer * job.lanes;
    const long long stride = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += stride) {
        const long long lane = i % job.lanes;
        const long long outer = i / job.lanes;
        target[outer * job.to_outer + lane] =
            scaled(source[outer * job.from_outer + lane], job.gain, job.divide);
    }
}
