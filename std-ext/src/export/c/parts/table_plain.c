static uint32_t table_number(int32_t number)
{
    return (uint32_t)number;
}
