/* What a program under QEMU needs of its machine: a start, text, an end, and a count of instructions. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

/* What reset calls, with a stack; calls main, and ends with its status. */
void run(void);
int main(void);

/* Prints a text, and a number. */
void print(const char *text);
void print_number(uint32_t number);

/* Starts the clock; executed instructions since a reading of it. */
void start_clock(void);
uint32_t read_clock(void);
uint32_t instructions_since(uint32_t reading);

#endif
