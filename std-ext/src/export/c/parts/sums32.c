typedef uint32_t projected;

static uint32_t widened(projected number)
{
    return number;
}
