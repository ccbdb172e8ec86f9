int32_t model_predict(const model_number sample[MODEL_INPUTS], model_scratch *scratch)
{
    if (model_scores(sample, scratch) != 0) {
        return -1;
    }
    return scratch->scores[0] > 0 ? 1 : 0;
}
