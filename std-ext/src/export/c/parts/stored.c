typedef const uint32_t *source;

static source row_of(uint32_t feature)
{
    return &planes[feature * (TABLE_INPUTS / 16u)];
}

static weights32 next_weights(source *row)
{
    weights32 next;
    next.sign = (*row)[0];
    next.mask = (*row)[1];
    *row += 2;
    return next;
}
