/* Adds to the 64 numbers of a word what brings its phases into the sums of transforms of `size` numbers. */
static void add_phases(uint16_t numbers[64], uint32_t size, uint32_t word)
{
    const stream random = start(PHASE_SEED, word);
    const uint32_t steps[6] = {
        random.s0 >> 16,     random.s1 & 0xFFFFu, random.s1 >> 16,
        random.s2 & 0xFFFFu, random.s2 >> 16,     random.s3 & 0xFFFFu,
    };
    for (uint32_t first = 0u; first < 64u; first += size) {
        uint32_t phase = random.s0 - 21845u;
        for (uint32_t k = 0u; k < 6u; k++) {
            const uint32_t stride = (uint32_t)1u << k;
            if (stride < size) {
                numbers[first + stride] = (uint16_t)(numbers[first + stride] + steps[k]);
            } else {
                phase += (first & stride) == 0u ? steps[k] : 0u - steps[k];
            }
        }
        numbers[first] = (uint16_t)(numbers[first] + phase);
    }
}

/* 2^16 is a period: a sum with its phase is an angle, and its cosine a trit. */
static trits compare(const uint16_t *sums)
{
    trits features = {0u, 0u};
    for (uint32_t k = 32u; k > 0u; k--) {
        const uint32_t angle = (uint32_t)(int32_t)(int16_t)sums[k - 1u];
        features.plus = 2u * features.plus + (angle <= 21845u ? 1u : 0u);
        features.minus = 2u * features.minus + ((angle + 10922u) >> 31);
    }
    return features;
}
