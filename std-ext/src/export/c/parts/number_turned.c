static uint32_t number(const model_scratch *scratch, const model_number *sample, uint32_t input)
{
    (void)scratch;
    return turned(centred(sample, input));
}
