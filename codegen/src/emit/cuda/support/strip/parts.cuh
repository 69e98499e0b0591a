// What a strip meets of the ends of its arrays: none; such beyond which lines begin anew; such beyond which stand
// copies of elements less than a line's length away, or nothing; such beyond which stand sums of these and of the ends; any.
constexpr int INSIDE = 0, WRAPPED = 1, COPIES = 2, SUMS = 3, ANY = 4;

// Lets the next launch on the stream begin, beside this one.
__device__ inline void begin_next() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits for the end of the launch beside which this one began, and so for all before it.
__device__ inline void await_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
