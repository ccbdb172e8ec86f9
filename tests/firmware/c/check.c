/* Runs the self-tests of the exported models, and counts the instructions of a prediction; exits with a status. */
#include "digits.h"
#include "machine.h"
#include "mnist.h"

static union {
    digits_scratch digits;
    mnist_scratch mnist;
} scratch;

static uint8_t sample[MNIST_INPUTS];

static void report(const char *name, int32_t failed, uint32_t instructions)
{
    print(name);
    print(failed == 0 ? " in C: self-test passed, " : " in C: SELF-TEST FAILED, ");
    print_number(instructions);
    print(" instructions\n");
}

int main(void)
{
    const int32_t digits = digits_self_test(&scratch.digits);
    const int32_t mnist = mnist_self_test(&scratch.mnist);
    uint32_t start;
    start_clock();
    start = read_clock();
    (void)digits_predict(sample, &scratch.digits);
    report("digits", digits, instructions_since(start));
    start = read_clock();
    (void)mnist_predict(sample, &scratch.mnist);
    report("mnist", mnist, instructions_since(start));
    return digits != 0 || mnist != 0;
}
