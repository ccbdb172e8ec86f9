/* All features, a transform at a time. The sample is rotated again for each, so that its memory suffices. */
static void featurize(const model_number *sample, model_scratch *scratch)
{
    uint16_t *const numbers = scratch->numbers;
    uint32_t row = 1u;
    shift_bands(sample, scratch);
    for (uint32_t group = 0u; group < GROUPS; row += 2u) {
        stream random = start(SEED, row + 1u);
        rotate(sample, scratch->shift, numbers);
        negate(numbers, row);
        transform(numbers, PADDED);
        for (uint32_t first = 0u; first < PADDED && group < GROUPS; first += 32u) {
            const uint32_t signs = draw(&random);
            add(scratch, group, compare(&scratch->bands, &numbers[first], signs));
            group++;
        }
    }
}
