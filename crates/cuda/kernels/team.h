// A team of warps that play one game together: a block on a GPU. On a host its warps run one after
// the other.

#ifdef __CUDACC__

FUNCTION int team_size() { return int(blockDim.x / LANES); }

// Calls a function for each warp; what it has written is seen by all warps afterwards.
template <class F> FUNCTION void each_warp(F f) {
    f(int(threadIdx.x / LANES));
    __syncthreads();
}

// The time of the device.
FUNCTION u64 nanoseconds() {
    u64 time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

// Stores a value where there is an old one; returns what was there.
FUNCTION u32 exchange_if(u32 *at, u32 old, u32 value) { return atomicCAS(at, old, value); }

// A word that other teams write at any time.
FUNCTION u64 load_shared(const u64 *at) { return *(const volatile u64 *)at; }
FUNCTION void store_shared(u64 *at, u64 value) { *(volatile u64 *)at = value; }

#else

FUNCTION int team_size() { return 3; }

template <class F> FUNCTION void each_warp(F f) {
    for (int warp = 0; warp < team_size(); warp++) f(warp);
}

FUNCTION u64 nanoseconds() { return 0; }

FUNCTION u32 exchange_if(u32 *at, u32 old, u32 value) {
    u32 found = *at;
    if (found == old) *at = value;
    return found;
}

FUNCTION u64 load_shared(const u64 *at) { return *at; }
FUNCTION void store_shared(u64 *at, u64 value) { *at = value; }

#endif

// Calls a function with every number below a count, each in a lane of its own.
template <class F> FUNCTION void for_each_number(int count, F f) {
    each_warp([&](int warp) {
        for_each_lane([&](int lane) {
            for (int i = warp * LANES + lane; i < count; i += team_size() * LANES) f(i);
        });
    });
}

// Adds one to a counter, once for the warp; returns what it was.
FUNCTION u32 take(u32 *counter) {
    Lanes<u32> old = each_lane([&](int) { return u32(0); });
    once([&]() { old[0] = fetch_add(counter, 1u); });
    return value_of(old, 0);
}
