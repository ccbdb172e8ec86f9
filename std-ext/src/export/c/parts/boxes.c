/* Draws a box of the grid and takes at most 64 of its inputs, evenly. Returns the size of transforms. */
static uint32_t gather(model_scratch *scratch, const model_number *sample, stream *random)
{
    const uint32_t tall = 5u + below(random, 10u), wide = 5u + below(random, 10u);
    const uint32_t height = tall < GRID_HEIGHT ? tall : GRID_HEIGHT, width = wide < GRID_WIDTH ? wide : GRID_WIDTH;
    const uint32_t top = below(random, GRID_HEIGHT - height + 1u), left = below(random, GRID_WIDTH - width + 1u);
    /* In 64ths of an input, from the start of a row of the box. */
    const uint32_t row = 64u * width * GRID_CHANNELS, inputs = height * width * GRID_CHANNELS;
    const uint32_t step = inputs > 64u ? inputs : 64u, count = inputs < 64u ? inputs : 64u;
    uint32_t first = (top * GRID_WIDTH + left) * GRID_CHANNELS, offset = 0u;
    for (uint32_t place = 0u; place < count; place++) {
        while (offset >= row) {
            offset -= row;
            first += GRID_WIDTH * GRID_CHANNELS;
        }
        see(scratch, sample, place, first + offset / 64u);
        offset += step;
    }
    return 64u;
}
