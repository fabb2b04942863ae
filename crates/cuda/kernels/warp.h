// A warp of 32 lanes, written once for a GPU and for a host, where tests run the same code.
//
// A value that all lanes share is a plain variable. A value that differs between lanes is a
// `Lanes<T>`: on a GPU each lane holds its own part in a register, on a host it is an array.

typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

const int LANES = 32;

#ifdef __CUDACC__

#define FUNCTION __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define CONSTANT __constant__
#define ALIGNED alignas(16)
// Memory that the lanes of a warp share; `synchronize` between writing and reading it.
#define SHARED(type, name, size)                                                                   \
    __shared__ type name##_of_all[BLOCK / LANES][size];                                            \
    type *name = name##_of_all[threadIdx.x / LANES]
const u32 ALL = 0xffffffffu;

template <class T> struct Lanes {
    T own;
    FUNCTION const T &operator[](int) const { return own; }
    FUNCTION T &operator[](int) { return own; }
};

// What a function gives for each lane.
template <class F> FUNCTION auto each_lane(F f) -> Lanes<decltype(f(0))> {
    return {f(int(threadIdx.x % LANES))};
}

// Calls a function for each lane.
template <class F> FUNCTION void for_each_lane(F f) { f(int(threadIdx.x % LANES)); }

// The value of the lane whose number differs in these bits.
template <class T> FUNCTION Lanes<T> exchange(const Lanes<T> &values, int bits) {
    return {__shfl_xor_sync(ALL, values.own, bits)};
}

// For each lane the value of the lane that it asks for.
template <class T> FUNCTION Lanes<T> gather(const Lanes<T> &values, const Lanes<int> &from) {
    return {__shfl_sync(ALL, values.own, from.own)};
}

// The value of one lane.
template <class T> FUNCTION T value_of(const Lanes<T> &values, int lane) {
    return __shfl_sync(ALL, values.own, lane);
}

// A bit for each lane.
FUNCTION u32 ballot(const Lanes<bool> &values) { return __ballot_sync(ALL, values.own); }

// For each lane the lanes that have the same value.
FUNCTION Lanes<u32> equal_lanes(const Lanes<u64> &values) {
    return {__match_any_sync(ALL, values.own)};
}

// Calls a function once for the whole warp, such as for a write to memory.
template <class F> FUNCTION void once(F f) {
    if (threadIdx.x % LANES == 0) f();
    __syncwarp();
}

FUNCTION void synchronize() { __syncwarp(); }

// Four of the eight bytes of two words, each selected by a digit.
FUNCTION u32 bytes_of(u32 low, u32 high, u32 select) { return __byte_perm(low, high, select); }
FUNCTION int count_bits(u32 bits) { return __popc(bits); }
FUNCTION int lowest_bit(u32 bits) { return __ffs(bits) - 1; }
FUNCTION int leading_zeros(u32 bits) { return __clz(bits); }
FUNCTION u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
FUNCTION u32 float_bits(float x) { return __float_as_uint(x); }
FUNCTION float float_of(u32 bits) { return __uint_as_float(bits); }
// The low word of two words that are shifted right by up to 31 bits.
FUNCTION u32 shifted(u32 low, u32 high, u32 bits) { return __funnelshift_r(low, high, bits); }
FUNCTION u32 reverse_bits(u32 bits) { return __brev(bits); }
FUNCTION float absolute(float x) { return fabsf(x); }
FUNCTION u32 swap(u32 *at, u32 x) { return atomicExch(at, x); }
// A value that the compiler does not compute again.
FUNCTION u32 computed(u32 x) {
    asm volatile("" : "+r"(x));
    return x;
}
// Loads what other multiprocessors have written.
FUNCTION u32 fresh_load(const u32 *at) { return *(const volatile u32 *)at; }
FUNCTION u32 fetch_add(u32 *at, u32 n) { return atomicAdd(at, n); }
FUNCTION u64 fetch_add(u64 *at, u64 n) { return atomicAdd(at, n); }

// Adds without waiting for the old value.
FUNCTION void add(float *at, float x) {
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(x) : "memory");
}

// Adds to two neighbours at once.
FUNCTION void add(float2 *at, float x, float y) {
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(at), "f"(x), "f"(y) : "memory");
#else
    add(&at->x, x);
    add(&at->y, y);
#endif
}

// Stores a value if the word is still zero.
FUNCTION void store_if_zero(float *at, float x) {
    atomicCAS((u32 *)at, 0u, __float_as_uint(x));
}

#else // The host.

#include <cmath>
#include <cstring>

#define FUNCTION static inline
#define UNROLL
#define CONSTANT static const
#define ALIGNED
#define SHARED(type, name, size) type name[size]
#define __restrict__

struct float2 {
    float x, y;
};

template <class T> struct Lanes {
    T all[LANES];
    const T &operator[](int lane) const { return all[lane]; }
    T &operator[](int lane) { return all[lane]; }
};

template <class F> FUNCTION auto each_lane(F f) -> Lanes<decltype(f(0))> {
    Lanes<decltype(f(0))> values;
    for (int lane = 0; lane < LANES; lane++) values[lane] = f(lane);
    return values;
}

template <class F> FUNCTION void for_each_lane(F f) {
    for (int lane = 0; lane < LANES; lane++) f(lane);
}

template <class T> FUNCTION Lanes<T> exchange(const Lanes<T> &values, int bits) {
    return each_lane([&](int lane) { return values[lane ^ bits]; });
}

template <class T> FUNCTION Lanes<T> gather(const Lanes<T> &values, const Lanes<int> &from) {
    return each_lane([&](int lane) { return values[from[lane]]; });
}

template <class T> FUNCTION T value_of(const Lanes<T> &values, int lane) { return values[lane]; }

FUNCTION u32 ballot(const Lanes<bool> &values) {
    u32 bits = 0;
    for (int lane = 0; lane < LANES; lane++) bits |= u32(values[lane]) << lane;
    return bits;
}

FUNCTION Lanes<u32> equal_lanes(const Lanes<u64> &values) {
    return each_lane([&](int lane) {
        return ballot(each_lane([&](int other) { return values[other] == values[lane]; }));
    });
}

template <class F> FUNCTION void once(F f) { f(); }

FUNCTION void synchronize() {}

FUNCTION u32 bytes_of(u32 low, u32 high, u32 select) {
    u64 both = u64(high) << 32 | low;
    u32 result = 0;
    for (int i = 0; i < 4; i++) result |= u32(both >> 8 * (select >> 4 * i & 7) & 255) << 8 * i;
    return result;
}
FUNCTION int count_bits(u32 bits) { return __builtin_popcount(bits); }
FUNCTION int lowest_bit(u32 bits) { return __builtin_ffs(int(bits)) - 1; }
FUNCTION int leading_zeros(u32 bits) { return bits ? __builtin_clz(bits) : 32; }
FUNCTION u64 high_product(u64 a, u64 b) { return u64(((unsigned __int128)a * b) >> 64); }
FUNCTION u32 float_bits(float x) {
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
FUNCTION float float_of(u32 bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
FUNCTION u32 shifted(u32 low, u32 high, u32 bits) { return u32((u64(high) << 32 | low) >> bits); }
FUNCTION u32 reverse_bits(u32 bits) {
    u32 result = 0;
    for (int i = 0; i < 32; i++) result |= (bits >> i & 1) << (31 - i);
    return result;
}
FUNCTION float absolute(float x) { return std::fabs(x); }
FUNCTION u32 swap(u32 *at, u32 x) {
    u32 old = *at;
    *at = x;
    return old;
}
FUNCTION u32 computed(u32 x) { return x; }
FUNCTION u32 fresh_load(const u32 *at) { return *at; }
template <class T> FUNCTION T fetch_add(T *at, T n) {
    T old = *at;
    *at += n;
    return old;
}
FUNCTION void add(float *at, float x) { *at += x; }
FUNCTION void add(float2 *at, float x, float y) {
    at->x += x;
    at->y += y;
}
FUNCTION void store_if_zero(float *at, float x) {
    if (float_bits(*at) == 0) *at = x;
}

#endif

// The sum over all lanes, in an order that does not depend on the machine.
FUNCTION float sum_lanes(Lanes<float> values) {
    UNROLL for (int bits = 1; bits < LANES; bits *= 2) {
        Lanes<float> others = exchange(values, bits);
        for_each_lane([&](int lane) { values[lane] += others[lane]; });
    }
    return value_of(values, 0);
}

// The largest value of all lanes.
FUNCTION u32 largest(Lanes<u32> values) {
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(ALL, values.own);
#else
    UNROLL for (int bits = 1; bits < LANES; bits *= 2) {
        Lanes<u32> others = exchange(values, bits);
        for_each_lane([&](int lane) {
            values[lane] = others[lane] > values[lane] ? others[lane] : values[lane];
        });
    }
    return value_of(values, 0);
#endif
}

// Adds one to a counter, once for the warp; returns what it was.
FUNCTION u64 count(u64 *counter) {
    Lanes<u64> old = each_lane([&](int) { return u64(0); });
    once([&]() { old[0] = fetch_add(counter, u64(1)); });
    return value_of(old, 0);
}
