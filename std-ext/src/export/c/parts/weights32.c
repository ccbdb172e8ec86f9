/* 32 weights of W: which are not zero, and which of those are negative. */
typedef struct {
    uint32_t sign, mask;
} weights32;
