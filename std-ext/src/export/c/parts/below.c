/* A random number below a count of at most 65,535: the high half of the draw times the count. */
static uint32_t below(stream *random, uint32_t count)
{
    const uint32_t drawn = draw(random);
    return ((drawn >> 16) * count + (((drawn & 0xFFFFu) * count) >> 16)) >> 16;
}
