/* Whether a number leaves 16 bits when it is scaled and centred. */
static int32_t refused(const model_number *sample)
{
    for (uint32_t input = 0u; input < INPUTS; input++) {
        const int32_t number = centred(sample, input);
        if (number < -32768 || number > 32767) {
            return 1;
        }
    }
    return 0;
}
