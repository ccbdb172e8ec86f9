/* All features, a transform at a time. The sample is rotated again for each, so that its memory suffices. */
static void featurize(const model_number *sample, model_scratch *scratch)
{
    uint16_t *const numbers = scratch->numbers;
    const int32_t shift = sample_shift(sample);
    /* Half of 2^shift times the factor, rounded: brings numbers that were shifted to the unit of angles. */
    const uint32_t factor =
        shift > 0 ? PERIOD_FACTOR << (shift - 1) : (PERIOD_FACTOR >> (1 - shift)) + ((PERIOD_FACTOR >> -shift) & 1u);
    uint32_t row = 1u;
    for (uint32_t group = 0u; group < GROUPS; row += 2u) {
        rotate(sample, shift, numbers);
        for (uint32_t k = 0u; k < PADDED; k++) {
            numbers[k] = (uint16_t)(((uint32_t)(2 * (int16_t)numbers[k] + 1) * factor) >> 16);
        }
        negate(numbers, row);
        transform(numbers, PADDED);
        for (uint32_t first = 0u; first < PADDED && group < GROUPS; first += 32u) {
            add(scratch, group, compare(group, &numbers[first]));
            group++;
        }
    }
}
