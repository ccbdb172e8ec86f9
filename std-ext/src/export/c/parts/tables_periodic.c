/* All features, 32 at a time. */
static void featurize(const model_number *sample, model_scratch *scratch)
{
    tabulate(scratch, sample);
    for (uint32_t group = 0u; group < GROUPS; group++) {
        uint16_t sums[32];
        for (uint32_t k = 0u; k < 32u; k++) {
            const uint32_t feature = 32u * group + k;
            source row = row_of(feature < FEATURES ? feature : FEATURES - 1u);
            sums[k] = (uint16_t)lookup(scratch, &row);
        }
        add(scratch, group, compare(group, sums));
    }
}
