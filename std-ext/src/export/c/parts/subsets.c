/* Draws `count` different inputs in ascending order: R. Floyd's algorithm. */
static void choose(stream *random, uint16_t chosen[64], uint32_t count)
{
    for (uint32_t done = 0u; done < count; done++) {
        const uint32_t last = INPUTS - count + done;
        const uint32_t drawn = count == INPUTS ? last : below(random, last + 1u);
        uint32_t place = done;
        while (place > 0u && chosen[place - 1u] > drawn) {
            place--;
        }
        if (place > 0u && chosen[place - 1u] == drawn) {
            chosen[done] = (uint16_t)last;
        } else {
            for (uint32_t k = done; k > place; k--) {
                chosen[k] = chosen[k - 1u];
            }
            chosen[place] = (uint16_t)drawn;
        }
    }
}

/* Draws the inputs of a word. Returns the size of its transforms, each of which has inputs of its own. */
static uint32_t gather(model_scratch *scratch, const model_number *sample, stream *random)
{
    const uint32_t drawn = SUBSET_LEAST + below(random, SUBSET_MOST - SUBSET_LEAST + 1u);
    const uint32_t count = drawn < INPUTS ? drawn : INPUTS;
    uint32_t size = 2u;
    uint16_t chosen[64];
    while (size < count) {
        size *= 2u;
    }
    for (uint32_t first = 0u; first < 64u; first += size) {
        choose(random, chosen, count);
        for (uint32_t k = 0u; k < count; k++) {
            see(scratch, sample, first + k, chosen[k]);
        }
    }
    return size;
}
