/* A program in C that links the library: exits with 0 if the classes are right. */
#include <stdint.h>
#include <stdio.h>

int32_t xor_class(const int8_t sample[2]);

int main(void) {
    static const int8_t samples[4][2] = {{10, 10}, {-10, 10}, {10, -10}, {-10, -10}};
    static const int32_t classes[4] = {0, 1, 1, 0};
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
        int32_t found = xor_class(samples[i]);
        if (found != classes[i]) {
            printf("sample %d: class %d instead of %d\n", i, (int)found, (int)classes[i]);
            wrong = 1;
        }
    }
    return wrong;
}
