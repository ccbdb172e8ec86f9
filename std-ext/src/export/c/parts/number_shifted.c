static uint32_t number(const model_scratch *scratch, const model_number *sample, uint32_t input)
{
    return shifted(centred(sample, input), scratch->shift);
}
