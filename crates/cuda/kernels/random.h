// xoshiro256++, with the streams and the sampling of `Rng` in `core`.

struct Random {
    u64 s[4];
};

FUNCTION u64 split_mix(u64 &state) {
    u64 z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// The stream of a game; the key is the seed, mixed once.
FUNCTION Random stream(u64 key, u64 game) {
    u64 state = key ^ game;
    Random random;
    UNROLL for (int i = 0; i < 4; i++) random.s[i] = split_mix(state);
    return random;
}

FUNCTION u64 rotated(u64 x, int n) { return x << n | x >> (64 - n); }

FUNCTION u64 random_bits(Random &random) {
    u64 *s = random.s;
    u64 result = rotated(s[0] + s[3], 23) + s[0];
    u64 t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotated(s[3], 45);
    return result;
}
