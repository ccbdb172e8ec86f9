typedef stream source;

static source row_of(uint32_t feature)
{
    return start(SEED, feature);
}

/* Each weight compares a random number with the sparsity, bit by bit, until all of them are decided. */
static weights32 next_weights(source *row)
{
    uint32_t zero = 0u, open = 0xFFFFFFFFu, sparsity = SPARSITY;
    weights32 next;
    while (sparsity != 0u && open != 0u) {
        const uint32_t drawn = draw(row);
        if ((sparsity >> 31) != 0u) {
            zero |= open & ~drawn;
            open &= drawn;
        } else {
            open &= ~drawn;
        }
        sparsity <<= 1;
    }
    next.mask = ~zero;
    next.sign = draw(row) & ~zero;
    return next;
}
