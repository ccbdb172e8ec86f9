/* Changes the signs of numbers that end in 1/2, at random. */
static void negate(uint16_t *numbers, uint32_t row)
{
    stream random = start(SEED, row);
    for (uint32_t first = 0u; first < PADDED; first += 32u) {
        uint32_t signs = draw(&random);
        for (uint32_t k = first; k < first + 32u; k++) {
            numbers[k] = (uint16_t)(numbers[k] ^ (0u - (signs & 1u)));
            signs >>= 1;
        }
    }
}

/* Loads a sample and rotates it: random signs, a transform. */
static void rotate(const model_number *sample, int32_t shift, uint16_t *numbers)
{
    for (uint32_t input = 0u; input < PADDED; input++) {
        numbers[input] = (uint16_t)(input < INPUTS ? shifted(centred(sample, input), shift) : 0u - (input & 1u));
    }
    negate(numbers, 0u);
    transform(numbers, PADDED);
    for (uint32_t k = 0u; k < PADDED; k++) {
        numbers[k] = (uint16_t)((int16_t)numbers[k] >> ROTATION_SHIFT);
    }
}
