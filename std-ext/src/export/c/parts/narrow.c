static int32_t saturated(int32_t number)
{
    return number > 32767 ? 32767 : number < -32767 ? -32767 : number;
}

/* A threshold that sums are above, for numbers that were shifted to the right. */
static int32_t above(int32_t cut, int32_t shift)
{
    return saturated(shift >= 0 ? cut >> shift : saturated(cut) * ((int32_t)1 << -shift));
}

/* A threshold that sums are below. */
static int32_t under(int32_t cut, int32_t shift)
{
    return -above(-cut, shift);
}

/* Shifts the thresholds as the numbers of the sample. Those at the ends of 32 bits are infinite. */
static void shift_bands(const model_number *sample, model_scratch *scratch)
{
    const int32_t shift = sample_shift(sample);
    scratch->shift = shift;
    set_bands(&scratch->bands, CUT_0 == INT32_MIN ? CUT_0 : under(CUT_0, shift),
              CUT_1 == INT32_MIN || CUT_1 == INT32_MAX ? CUT_1 : above(CUT_1, shift),
              CUT_2 == INT32_MIN ? CUT_2 : under(CUT_2, shift), CUT_3 == INT32_MAX ? CUT_3 : above(CUT_3, shift));
}
