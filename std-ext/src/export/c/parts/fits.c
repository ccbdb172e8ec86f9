/* No number of this type leaves 16 bits. */
static int32_t refused(const model_number *sample)
{
    (void)sample;
    return 0;
}
