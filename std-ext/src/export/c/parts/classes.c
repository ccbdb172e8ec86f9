int32_t model_predict(const model_number sample[MODEL_INPUTS], model_scratch *scratch)
{
    int32_t best = 0;
    if (model_scores(sample, scratch) != 0) {
        return -1;
    }
    for (int32_t output = 1; output < (int32_t)OUTPUTS; output++) {
        if (scratch->scores[output] > scratch->scores[best]) {
            best = output;
        }
    }
    return best;
}
