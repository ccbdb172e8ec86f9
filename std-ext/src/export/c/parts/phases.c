/* The phases of features 32 * group to 32 * group + 31. */
static void phases_of(uint32_t group, uint16_t phases[32])
{
    const stream random = start(PHASE_SEED, group / 2u);
    const uint32_t steps[5] = {
        random.s0 >> 16, random.s1 & 0xFFFFu, random.s1 >> 16, random.s2 & 0xFFFFu, random.s2 >> 16,
    };
    const uint32_t high = random.s3 & 0xFFFFu;
    uint32_t first = random.s0 + (group % 2u == 0u ? high : 0u - high);
    for (uint32_t k = 0u; k < 5u; k++) {
        first += steps[k];
    }
    phases[0] = (uint16_t)first;
    for (uint32_t k = 0u; k < 5u; k++) {
        for (uint32_t i = 0u; i < (uint32_t)1u << k; i++) {
            phases[i + ((uint32_t)1u << k)] = (uint16_t)(phases[i] - 2u * steps[k]);
        }
    }
}

/* 2^16 is a period: a sum with its phase is an angle, and its cosine a trit. */
static trits compare(uint32_t group, const uint16_t *sums)
{
    trits features = {0u, 0u};
    uint16_t phases[32];
    phases_of(group, phases);
    for (uint32_t k = 32u; k > 0u; k--) {
        const uint32_t angle = (uint32_t)(int32_t)(int16_t)(uint16_t)(sums[k - 1u] + phases[k - 1u] - 21845);
        features.plus = 2u * features.plus + (angle <= 21845u ? 1u : 0u);
        features.minus = 2u * features.minus + ((angle + 10922u) >> 31);
    }
    return features;
}
