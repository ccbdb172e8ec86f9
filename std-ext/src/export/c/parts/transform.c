/* The Walsh-Hadamard transform of a power of two of numbers that end in 1/2, without the 1/2; sums wrap. */
static void transform(uint16_t *numbers, uint32_t size)
{
    uint32_t stride = 1u;
    if ((size & 0xAAAAAAAAu) != 0u) {
        /* An odd number of stages: the first one alone. */
        for (uint32_t k = 0u; k < size; k += 2u) {
            const uint32_t a = numbers[k], b = numbers[k + 1u];
            numbers[k] = (uint16_t)(a + b);
            numbers[k + 1u] = (uint16_t)(a - b);
        }
        stride = 2u;
    }
    for (; stride < size; stride *= 4u) {
        /* Two stages in one pass. */
        for (uint32_t first = 0u; first < size; first += 4u * stride) {
            for (uint32_t k = first; k < first + stride; k++) {
                const uint32_t a = numbers[k], b = numbers[k + stride];
                const uint32_t c = numbers[k + 2u * stride], d = numbers[k + 3u * stride];
                const uint32_t low = a + b, low_off = a - b, high = c + d, high_off = c - d;
                numbers[k] = (uint16_t)(low + high);
                numbers[k + stride] = (uint16_t)(low_off + high_off);
                numbers[k + 2u * stride] = (uint16_t)(low - high);
                numbers[k + 3u * stride] = (uint16_t)(low_off - high_off);
            }
        }
    }
    /* The halves add up in the first sum only. */
    numbers[0] = (uint16_t)(numbers[0] + size / 2u);
}
