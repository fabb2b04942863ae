// The mean of the weights of a network over a part of its training.

// `share` is that of the newest sample: 1, 1/2, 1/3 and so on.
struct Average {
    float *mean;
    const float *weights;
    u64 count;
    float share;
    u32 padding;
};

// A weight that was zero in all earlier samples was not in use yet: they do not count.
FUNCTION void add_sample(const Average &a, u64 i) {
    float mean = a.mean[i], weight = a.weights[i];
    a.mean[i] = float_bits(mean) == 0 ? weight : mean + (weight - mean) * a.share;
}

#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(BLOCK) average(const Average a) {
    u64 threads = u64(gridDim.x) * blockDim.x;
    for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < a.count; i += threads)
        add_sample(a, i);
}
#else
extern "C" void average(const Average &a) {
    for (u64 i = 0; i < a.count; i++) add_sample(a, i);
}
#endif
