/* Sums of 16 bits, and their values, which may be negative. */
typedef uint16_t projected;

static uint32_t widened(projected number)
{
    return (uint32_t)(int32_t)(int16_t)number;
}
