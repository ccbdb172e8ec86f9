/* What the core executes first: sets the stack and calls run, which does not return. No variable has a value to copy. */
#include <stdint.h>

void reset(void);
void run(void);

#if defined(__arm__)

extern uint32_t stack_top[];

/* The first two words of a vector table are the stack and the start. */
__attribute__((section(".vectors"), used)) static void *const vectors[2] = {stack_top, (void *)(uintptr_t)reset};

void reset(void)
{
    run();
}

#else

__attribute__((naked, section(".vectors"), used)) void reset(void)
{
    __asm__ volatile("la sp, stack_top\n j run");
}

#endif
