// What emitted CUDA text may use, for a host C++ compiler.
//
// The text is compiled unmodified behind this header. Every thread of a block becomes a fibre (see
// fibres.h); blocks run one after another. `__shared__` becomes `thread_local`: the program has one
// thread, so there is one copy, which all fibres see, and function-scope variables need no further
// qualifier. The thread-local segment of the executable *is* the block's shared memory: the
// scheduler fills it with a pattern before every block and, in the build that checks races, watches
// every access to it.
//
// No standard header is included, so that the text sees no more names than under NVRTC.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ thread_local
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

using size_t = decltype(sizeof(0));

// Vector types, aligned as on the device: a misaligned access is caught by the sanitizer.
#define WAVELOOM_VECTOR_TYPES(T, name)                                                             \
    struct name##1 { T x; };                                                                       \
    struct __attribute__((aligned(2 * sizeof(T)))) name##2 { T x, y; };                            \
    struct name##3 { T x, y, z; };                                                                 \
    struct __attribute__((aligned(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16))) name##4 {             \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    inline name##1 make_##name##1(T x) { return {x}; }                                             \
    inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                     \
    inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                             \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
WAVELOOM_VECTOR_TYPES(signed char, char)
WAVELOOM_VECTOR_TYPES(unsigned char, uchar)
WAVELOOM_VECTOR_TYPES(short, short)
WAVELOOM_VECTOR_TYPES(unsigned short, ushort)
WAVELOOM_VECTOR_TYPES(int, int)
WAVELOOM_VECTOR_TYPES(unsigned int, uint)
WAVELOOM_VECTOR_TYPES(long long, longlong)
WAVELOOM_VECTOR_TYPES(unsigned long long, ulonglong)
WAVELOOM_VECTOR_TYPES(float, float)
WAVELOOM_VECTOR_TYPES(double, double)
#undef WAVELOOM_VECTOR_TYPES

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

// Barriers and shuffles know their line in the text, for reports of divergence.
namespace waveloom {

void block_barrier(int line);
void warp_barrier(int line, unsigned mask);
// Gives `bits` to the warp and returns what lane `source` gave, once every lane of `mask` came.
unsigned long long exchange(int line, unsigned mask, unsigned long long bits, int source);
int lane();

template <class T> T shuffle(int line, unsigned mask, T value, int source) {
    static_assert(sizeof(T) <= sizeof(unsigned long long), "a shuffle moves at most 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = exchange(line, mask, bits, source);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

// The lane read by each kind of shuffle; out of the segment, a lane reads itself.
inline int indexed_lane(int index, int width) {
    return (lane() & ~(width - 1)) | (index & (width - 1));
}
inline int lane_above(unsigned delta, int width) {
    const int offset = lane() & (width - 1);
    return offset + static_cast<long long>(delta) < width ? lane() + static_cast<int>(delta) : lane();
}
inline int lane_below(unsigned delta, int width) {
    const int offset = lane() & (width - 1);
    return offset - static_cast<long long>(delta) >= 0 ? lane() - static_cast<int>(delta) : lane();
}
inline int crossed_lane(int bits, int width) {
    const int last = lane() | (width - 1);
    return (lane() ^ bits) <= last ? lane() ^ bits : lane();
}

} // namespace waveloom

#define WAVELOOM_SHUFFLES(T)                                                                       \
    inline T waveloom_shfl(int line, unsigned mask, T value, int index, int width = 32) {          \
        return waveloom::shuffle(line, mask, value, waveloom::indexed_lane(index, width));         \
    }                                                                                              \
    inline T waveloom_shfl_down(int line, unsigned mask, T value, unsigned by, int width = 32) {   \
        return waveloom::shuffle(line, mask, value, waveloom::lane_above(by, width));              \
    }                                                                                              \
    inline T waveloom_shfl_up(int line, unsigned mask, T value, unsigned by, int width = 32) {     \
        return waveloom::shuffle(line, mask, value, waveloom::lane_below(by, width));              \
    }                                                                                              \
    inline T waveloom_shfl_xor(int line, unsigned mask, T value, int bits, int width = 32) {       \
        return waveloom::shuffle(line, mask, value, waveloom::crossed_lane(bits, width));          \
    }
WAVELOOM_SHUFFLES(int)
WAVELOOM_SHUFFLES(unsigned)
WAVELOOM_SHUFFLES(long long)
WAVELOOM_SHUFFLES(unsigned long long)
WAVELOOM_SHUFFLES(float)
WAVELOOM_SHUFFLES(double)
#undef WAVELOOM_SHUFFLES

inline void waveloom_syncwarp(int line, unsigned mask = 0xffffffffu) {
    waveloom::warp_barrier(line, mask);
}

#define __syncthreads() waveloom::block_barrier(__LINE__)
#define __syncwarp(...) waveloom_syncwarp(__LINE__ __VA_OPT__(, ) __VA_ARGS__)
#define __shfl_sync(...) waveloom_shfl(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) waveloom_shfl_down(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) waveloom_shfl_up(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) waveloom_shfl_xor(__LINE__, __VA_ARGS__)

// Loads and stores with cache hints are plain ones here.
template <class T> inline T __ldg(const T* at) { return *at; }
template <class T> inline T __ldca(const T* at) { return *at; }
template <class T> inline T __ldcg(const T* at) { return *at; }
template <class T> inline T __ldcs(const T* at) { return *at; }
template <class T> inline void __stwb(T* at, T value) { *at = value; }
template <class T> inline void __stcg(T* at, T value) { *at = value; }
template <class T> inline void __stcs(T* at, T value) { *at = value; }

// Arithmetic. The build switches contraction off, so `a * b + c` rounds twice, as the text says.
inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
