int32_t model_scores(const model_number sample[MODEL_INPUTS], model_scratch *scratch)
{
    if (refused(sample) != 0) {
        return -1;
    }
    featurize(sample, scratch);
    for (uint32_t output = 0u; output < OUTPUTS; output++) {
        const uint32_t sum = (uint32_t)scratch->scores[output];
        scratch->scores[output] = (int32_t)((uint32_t)scales[output] * sum + (uint32_t)biases[output]);
    }
    return 0;
}
