/* All features, a word of 64 at a time: its inputs, drawn and transformed, then compared. */
static void featurize(const model_number *sample, model_scratch *scratch)
{
    for (uint32_t index = 0u; 2u * index < GROUPS; index++) {
        stream random = start(SEED, WORD(index));
        uint32_t size;
        flip(scratch->numbers, &random);
        size = gather(scratch, sample, &random);
        add_phases(scratch->numbers, size, WORD(index));
        for (uint32_t first = 0u; first < 64u; first += size) {
            transform(&scratch->numbers[first], size);
        }
        for (uint32_t half = 0u; half < 2u && 2u * index + half < GROUPS; half++) {
            add(scratch, 2u * index + half, compare(&scratch->numbers[32u * half]));
        }
    }
}
