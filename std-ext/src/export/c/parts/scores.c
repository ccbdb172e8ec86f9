typedef struct {
    uint32_t plus, minus;
} trits;

/* How many more bits are set in one word than in another; they have none in common. */
static uint32_t difference(uint32_t plus, uint32_t minus)
{
    /* Pairs of bits: the count of one, at most 2, and 2 less the count of the other. They share the later steps. */
    const uint32_t on = plus - ((plus >> 1) & 0x55555555u);
    const uint32_t off = 0xAAAAAAAAu - (minus - ((minus >> 1) & 0x55555555u));
    const uint32_t fours = (on & 0x33333333u) + ((on >> 2) & 0x33333333u) + (off & 0x33333333u) + ((off >> 2) & 0x33333333u);
    const uint32_t bytes = (fours & 0x0F0F0F0Fu) + ((fours >> 4) & 0x0F0F0F0Fu);
    return ((bytes * 0x01010101u) >> 24) - 32u;
}

/* Adds 32 features to the scores of all outputs. */
static void add(model_scratch *scratch, uint32_t group, trits features)
{
    const uint32_t last = group == GROUPS - 1u ? LAST_FEATURES : 0xFFFFFFFFu;
    const uint32_t plus = features.plus & last, minus = features.minus & last;
    const uint32_t odd = ((1u << BITS) - 1u) * difference(plus, minus);
    const uint32_t *plane = &weights[group * (OUTPUTS * BITS)];
    for (uint32_t output = 0u; output < OUTPUTS; output++) {
        uint32_t sum = 0u;
        for (uint32_t bit = 0u; bit < BITS; bit++) {
            sum = 2u * sum + difference(plus & *plane, minus & *plane);
            plane++;
        }
        /* The first group overwrites what was there. */
        sum = 2u * sum - odd + (group == 0u ? 0u : (uint32_t)scratch->scores[output]);
        scratch->scores[output] = (int32_t)sum;
    }
}
