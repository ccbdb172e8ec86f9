static uint32_t table_number(int32_t number)
{
    return (uint32_t)(int32_t)(int16_t)turned(number);
}
