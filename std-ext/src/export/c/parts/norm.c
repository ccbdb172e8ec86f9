/* The bits by which the numbers of a sample are shifted to the right; to the left if negative. */
static int32_t sample_shift(const model_number *sample)
{
    uint32_t low = 0u, high = 0u;
    uint64_t squares;
    int32_t bits = 0;
    for (uint32_t input = 0u; input < INPUTS; input++) {
        const int32_t number = centred(sample, input);
        const uint32_t square = (uint32_t)(number * number);
        low += square & 0xFFFFu;
        high += square >> 16;
    }
    for (squares = ((uint64_t)high << 16) + low; squares != 0u; squares >>= 1) {
        bits++;
    }
    return (bits - 23) >> 1;
}

static uint32_t shifted(int32_t number, int32_t shift)
{
    return shift >= 0 ? (uint32_t)(number >> shift) : (uint32_t)number << -shift;
}
