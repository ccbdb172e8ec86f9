/* Models of Ternion for programs in C: bytes in flash, a class or scores for each sample.
 *
 * No allocator, no float, no global state. Functions return a negative number, one of ternion_error, where there is
 * nothing to return. Any bytes may be opened: those that are not a model are refused.
 *
 *     static ternion_model model;
 *     static int32_t scratch[64];
 *     if (ternion_open(&model, bytes, sizeof bytes) != 0 || ternion_scratch_words(&model) > 64) { ... }
 *     int32_t class = ternion_predict_u8(&model, sample, sizeof sample, scratch, 64);
 */
#ifndef TERNION_H
#define TERNION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ternion_error {
    TERNION_NULL = -1,         /* a pointer is null, or not aligned for its type */
    TERNION_NO_MODEL = -2,     /* the bytes are not a model of a known version, or were changed */
    TERNION_SAMPLE = -3,       /* the sample has another number of inputs than the model */
    TERNION_SCRATCH = -4,      /* the scratch is shorter than ternion_scratch_words says */
    TERNION_OUT_OF_RANGE = -5, /* a number of the sample leaves 16 bits when it is scaled and centred */
    TERNION_NO_CLASSES = -6    /* the scores of the model are numbers: ask for scores */
};

/* A model that was opened. It refers to the bytes, which must stay where they are and as they are. */
typedef struct {
    uint64_t words[40];
} ternion_model;

/* Checks every byte of a model. Returns 0 or an error; after an error the model must not be used. */
int32_t ternion_open(ternion_model *model, const uint8_t *bytes, size_t length);

/* The sizes of an opened model: numbers in a sample, scores, and 32-bit words of scratch. */
size_t ternion_inputs(const ternion_model *model);
size_t ternion_outputs(const ternion_model *model);
size_t ternion_scratch_words(const ternion_model *model);

/* The class of a sample, or an error. */
int32_t ternion_predict_u8(const ternion_model *model, const uint8_t *sample, size_t inputs, int32_t *scratch, size_t words);
int32_t ternion_predict_i8(const ternion_model *model, const int8_t *sample, size_t inputs, int32_t *scratch, size_t words);
int32_t ternion_predict_i16(const ternion_model *model, const int16_t *sample, size_t inputs, int32_t *scratch, size_t words);

/* Writes the scores of a sample to the start of the scratch. Returns 0 or an error. */
int32_t ternion_scores_u8(const ternion_model *model, const uint8_t *sample, size_t inputs, int32_t *scratch, size_t words);
int32_t ternion_scores_i8(const ternion_model *model, const int8_t *sample, size_t inputs, int32_t *scratch, size_t words);
int32_t ternion_scores_i16(const ternion_model *model, const int16_t *sample, size_t inputs, int32_t *scratch, size_t words);

#ifdef __cplusplus
}
#endif

#endif
