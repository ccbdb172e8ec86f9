/* Random signs, to which the numbers of a word are added: all bits of a number change where its sign does. */
static void flip(uint16_t numbers[64], stream *random)
{
    for (uint32_t first = 0u; first < 64u; first += 32u) {
        uint32_t signs = draw(random);
        for (uint32_t k = first; k < first + 32u; k++) {
            numbers[k] = (uint16_t)(0u - (signs & 1u));
            signs >>= 1;
        }
    }
}

static void see(model_scratch *scratch, const model_number *sample, uint32_t place, uint32_t input)
{
    scratch->numbers[place] = (uint16_t)(scratch->numbers[place] ^ number(scratch, sample, input));
}
