/* Tests the library: opens the model of the exclusive or of signs, whose file is the argument. Exits with 0 if all is right. */
#include "ternion.h"

#include <stdio.h>

static int wrong = 0;

static void expect(const char *what, int32_t found, int32_t expected)
{
    if (found != expected) {
        printf("%s: %d instead of %d\n", what, (int)found, (int)expected);
        wrong = 1;
    }
}

int main(int argc, char **argv)
{
    static uint8_t bytes[4096];
    static ternion_model model;
    int32_t scratch[256];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        printf("usage: test MODEL\n");
        return 1;
    }
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);

    expect("nothing to open", ternion_open(&model, NULL, 0), TERNION_NULL);
    expect("nowhere to open", ternion_open(NULL, bytes, length), TERNION_NULL);
    expect("a short model", ternion_open(&model, bytes, length - 1), TERNION_NO_MODEL);
    bytes[length / 2] ^= 1;
    expect("a changed model", ternion_open(&model, bytes, length), TERNION_NO_MODEL);
    bytes[length / 2] ^= 1;
    expect("a model", ternion_open(&model, bytes, length), 0);
    expect("inputs", (int32_t)ternion_inputs(&model), 2);
    expect("outputs", (int32_t)ternion_outputs(&model), 2);
    const size_t words = ternion_scratch_words(&model);

    static const int8_t samples[4][2] = {{10, 10}, {-10, 10}, {10, -10}, {-10, -10}};
    static const int32_t classes[4] = {0, 1, 1, 0};
    for (int i = 0; i < 4; i++) {
        const int16_t wide[2] = {samples[i][0], samples[i][1]};
        expect("class", ternion_predict_i8(&model, samples[i], 2, scratch, words), classes[i]);
        expect("class of 16 bits", ternion_predict_i16(&model, wide, 2, scratch, words), classes[i]);
        expect("scores", ternion_scores_i8(&model, samples[i], 2, scratch, words), 0);
        expect("the larger score", scratch[1] > scratch[0], classes[i]);
    }
    const uint8_t bright[2] = {200, 10};
    expect("class of bytes", ternion_predict_u8(&model, bright, 2, scratch, words), 0);
    expect("scores of bytes", ternion_scores_u8(&model, bright, 2, scratch, words), 0);
    const int16_t far[2] = {-32768, 32767};
    expect("scores of 16 bits", ternion_scores_i16(&model, far, 2, scratch, words), 0);
    expect("a short sample", ternion_predict_i8(&model, samples[0], 1, scratch, words), TERNION_SAMPLE);
    expect("a short scratch", ternion_predict_i8(&model, samples[0], 2, scratch, words - 1), TERNION_SCRATCH);
    expect("no sample", ternion_predict_i8(&model, NULL, 2, scratch, words), TERNION_NULL);
    expect("no model", ternion_predict_i8(NULL, samples[0], 2, scratch, words), TERNION_NULL);
    return wrong;
}
