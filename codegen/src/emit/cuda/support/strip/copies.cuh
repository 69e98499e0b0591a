// An asynchronous copy of 4, 8 or 16 aligned bytes, where the card has them; else a plain one. What was
// read from the place before stays before it.
template <int BYTES>
__device__ inline void copy_ahead(void* to, const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(BYTES) : "memory");
#else
    struct alignas(BYTES) Bytes {
        char byte[BYTES];
    };
    *(Bytes*)to = *(const Bytes*)from;
#endif
}

// A single element, ahead where elements are wide enough for that.
__device__ inline void copy_one(value* to, const value* from) {
    if (sizeof(value) >= 4) {
        copy_ahead<sizeof(value) >= 4 ? (int)sizeof(value) : 4>(to, from);
    } else {
        *to = *from;
    }
}

// Ends a group of copies.
__device__ inline void close_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until no more than the last COUNT groups are on their way.
template <int COUNT>
__device__ inline void await_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(COUNT) : "memory");
#endif
}
