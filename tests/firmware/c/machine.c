/* Semihosting and clocks of the machines that QEMU emulates, without a C library. */
#include "machine.h"

#if defined(__arm__)

static uintptr_t semihosting(uintptr_t operation, uintptr_t argument)
{
    register uintptr_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

/* SysTick counts down, 24 bits. */
#define SYSTICK ((volatile uint32_t *)0xE000E010u)

void start_clock(void)
{
    /* A full count, then the core's own clock. */
    SYSTICK[1] = 0x00FFFFFFu;
    SYSTICK[2] = 0u;
    SYSTICK[0] = 5u;
}

uint32_t read_clock(void)
{
    return SYSTICK[2];
}

uint32_t instructions_since(uint32_t reading)
{
    /* Ticks per 1,000 instructions are the machine's. */
    return (uint32_t)((uint64_t)((reading - SYSTICK[2]) & 0x00FFFFFFu) * 1000u / TICKS);
}

#else

static uintptr_t semihosting(uintptr_t operation, uintptr_t argument)
{
    register uintptr_t a0 __asm__("a0") = operation;
    register uintptr_t a1 __asm__("a1") = argument;
    /* These three, uncompressed, are the call. */
    __asm__ volatile(".option push\n.option norvc\n.balign 16\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return a0;
}

void start_clock(void)
{
}

uint32_t read_clock(void)
{
    uint32_t count;
    __asm__ volatile("csrr %0, minstret" : "=r"(count));
    return count;
}

uint32_t instructions_since(uint32_t reading)
{
    return read_clock() - reading;
}

#endif

void print(const char *text)
{
    (void)semihosting(4u, (uintptr_t)text);
}

void print_number(uint32_t number)
{
    char digits[11];
    char *first = &digits[10];
    *first = '\0';
    do {
        first--;
        *first = (char)('0' + (char)(number % 10u));
        number /= 10u;
    } while (number != 0u);
    print(first);
}

void run(void)
{
    /* Extended exit: the reason "application exit", and the status. */
    uintptr_t reason[2] = {0x20026u, 0u};
    reason[1] = (uintptr_t)main();
    (void)semihosting(0x20u, (uintptr_t)reason);
    for (;;) {
    }
}
