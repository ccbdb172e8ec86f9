/* A number in the unit of angles, in which 2^16 is a period. */
static uint32_t turned(int32_t number)
{
    return ((uint32_t)number * PERIOD_FACTOR + 0x8000u) >> 16;
}
