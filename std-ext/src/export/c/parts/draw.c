/* The next 32 random bits of a row. */
static uint32_t draw(stream *random)
{
    const uint32_t sum = random->s0 + random->s3;
    const uint32_t drawn = ((sum << 7) | (sum >> 25)) + random->s0;
    const uint32_t shifted = random->s1 << 9;
    random->s2 ^= random->s0;
    random->s3 ^= random->s1;
    random->s1 ^= random->s2;
    random->s0 ^= random->s3;
    random->s2 ^= shifted;
    random->s3 = (random->s3 << 11) | (random->s3 >> 21);
    return drawn;
}
