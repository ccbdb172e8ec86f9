/* The thresholds of a sample: sums below the first or above the last are +1, those between the others -1. */
static void set_bands(model_bands *bands, int32_t below_outer, int32_t above_inner, int32_t below_inner, int32_t above_outer)
{
    /* No sum reaches the ends of 32 bits. */
    const int32_t end = above_outer < INT32_MAX ? above_outer : INT32_MAX - 1;
    const uint32_t width = (uint32_t)below_inner - (uint32_t)above_inner;
    bands->outer = (uint32_t)below_outer;
    bands->outer_width = below_outer > end ? 0u : (uint32_t)end - (uint32_t)below_outer + 1u;
    bands->inner = (uint32_t)above_inner + 1u;
    bands->inner_width = width == 0u ? 0u : width - 1u;
}

/* The features of 32 sums, which change sign where a bit of `signs` is set. Where bands overlap, +1 wins. */
static trits compare(const model_bands *bands, const projected *sums, uint32_t signs)
{
    trits features = {0u, 0u};
    for (uint32_t k = 32u; k > 0u; k--) {
        const uint32_t flip = 0u - (signs >> 31);
        const uint32_t number = (widened(sums[k - 1u]) ^ flip) - flip;
        features.plus = 2u * features.plus + (number - bands->outer >= bands->outer_width ? 1u : 0u);
        features.minus = 2u * features.minus + (number - bands->inner < bands->inner_width ? 1u : 0u);
        signs <<= 1;
    }
    features.minus &= ~features.plus;
    return features;
}
