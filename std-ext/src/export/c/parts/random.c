/* The random numbers that a row of W is made of: SplitMix64 starts xoshiro128++. */
typedef struct {
    uint32_t s0, s1, s2, s3;
} stream;

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static stream start(uint64_t seed, uint32_t row)
{
    const uint64_t step = UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t counter = seed + 2u * step * row;
    const uint64_t a = mix(counter + step);
    const uint64_t b = mix(counter + 2u * step);
    stream random;
    random.s0 = (uint32_t)a;
    random.s1 = (uint32_t)(a >> 32);
    random.s2 = (uint32_t)b;
    random.s3 = (uint32_t)(b >> 32);
    return random;
}
