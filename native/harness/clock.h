/* SPDX-License-Identifier: MIT */
/*
 * A clock cheap enough to read inside a trial.
 *
 * x86: rdtscp waits until all earlier instructions are done; the lfence keeps later ones behind it.
 * The time stamp counter of today's processors runs at a constant rate, which is not that of the
 * core's clock: always convert by locklab_clock_calibrate(), never by a nominal frequency.
 * Arm: the virtual counter, behind a barrier. Elsewhere: the monotonic clock, in ns.
 */
#ifndef LOCKLAB_HARNESS_CLOCK_H
#define LOCKLAB_HARNESS_CLOCK_H

#include <stdint.h>

/* The monotonic clock, and the calling thread's CPU time. */
uint64_t locklab_wall_ns(void);
uint64_t locklab_cpu_ns(void);

#if defined(__x86_64__)
#define LOCKLAB_CLOCK "rdtscp"
static inline uint64_t locklab_ticks(void)
{
    uint32_t low, high, cpu;

    __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high), "=c"(cpu) : : "memory");
    return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
#define LOCKLAB_CLOCK "cntvct_el0"
static inline uint64_t locklab_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}
#else
#define LOCKLAB_CLOCK "clock_gettime"
static inline uint64_t locklab_ticks(void)
{
    return locklab_wall_ns();
}
#endif

struct locklab_clock {
    const char *name;
    double ticks_per_ns;
    double cost_ns; /* one reading: the least difference of two readings in a row */
    double turn_ns; /* one iteration of locklab_spend(), at best */
};

/* Takes some 25 ms. Do not call it while other threads run on this CPU. */
struct locklab_clock locklab_clock_calibrate(void);

#endif
