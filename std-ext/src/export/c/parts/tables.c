/* For every four inputs the sums of their sixteen subsets: entry i adds the inputs at the set bits of i. */
static void tabulate(model_scratch *scratch, const model_number *sample)
{
    for (uint32_t first = 0u; first < TABLE_INPUTS; first += 4u) {
        uint32_t *const table = &scratch->tables[4u * first];
        table[0] = 0u;
        for (uint32_t bit = 0u; bit < 4u; bit++) {
            const uint32_t number = first + bit < INPUTS ? table_number(centred(sample, first + bit)) : 0u;
            for (uint32_t k = 0u; k < (uint32_t)1u << bit; k++) {
                table[k + ((uint32_t)1u << bit)] = table[k] + number;
            }
        }
    }
}

/* The inputs at the weights of +1 less those at -1. */
static uint32_t lookup(const model_scratch *scratch, source *row)
{
    const uint32_t *table = scratch->tables;
    uint32_t total = 0u;
    for (uint32_t first = 0u; first < TABLE_INPUTS; first += 32u) {
        const weights32 next = next_weights(row);
        uint32_t sign = next.sign, mask = next.mask;
        for (uint32_t k = 0u; k < 8u; k++) {
            total += table[mask & 15u] - 2u * table[sign & 15u];
            sign >>= 4;
            mask >>= 4;
            table += 16;
        }
    }
    return total;
}
