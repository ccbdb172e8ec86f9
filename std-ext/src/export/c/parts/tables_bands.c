/* All features, 32 at a time. */
static void featurize(const model_number *sample, model_scratch *scratch)
{
    set_bands(&scratch->bands, CUT_0, CUT_1, CUT_2, CUT_3);
    tabulate(scratch, sample);
    for (uint32_t group = 0u; group < GROUPS; group++) {
        projected sums[32];
        for (uint32_t k = 0u; k < 32u; k++) {
            const uint32_t feature = 32u * group + k;
            source row = row_of(feature < FEATURES ? feature : FEATURES - 1u);
            sums[k] = lookup(scratch, &row);
        }
        add(scratch, group, compare(&scratch->bands, sums, 0u));
    }
}
