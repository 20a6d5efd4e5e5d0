/* SPDX-License-Identifier: MIT */
/* Reads the system's clocks; measures the cheap clock's rate and an iteration of private work. */
#define _GNU_SOURCE
#include <time.h>

#include "harness/clock.h"
#include "harness/harness.h"

static uint64_t now_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t locklab_wall_ns(void)
{
    return now_ns(CLOCK_MONOTONIC);
}

uint64_t locklab_cpu_ns(void)
{
    return now_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Both clocks at one moment: the quickest of some tries. */
static void both(uint64_t *ns, uint64_t *ticks)
{
    uint64_t shortest = UINT64_MAX;

    for (int i = 0; i < 20; i++) {
        uint64_t before = locklab_ticks();
        uint64_t now_ns = locklab_wall_ns();
        uint64_t after = locklab_ticks();

        if (after - before < shortest) {
            shortest = after - before;
            *ns = now_ns;
            *ticks = before + (after - before) / 2;
        }
    }
}

/* Private work of some 30 us, timed often: the shortest time is one without interrupts. */
static uint64_t shortest_spend(uint32_t turns)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 100; i++) {
        uint64_t before = locklab_ticks();
        uint64_t took;

        locklab_spend(turns);
        took = locklab_ticks() - before;
        if (took < least)
            least = took;
    }
    return least;
}

struct locklab_clock locklab_clock_calibrate(void)
{
    const uint32_t turns = 100000;
    const struct timespec apart = {.tv_nsec = 20000000};
    uint64_t start_ns, end_ns, start, end, least = UINT64_MAX;
    struct locklab_clock clock = {.name = LOCKLAB_CLOCK};

    both(&start_ns, &start);
    nanosleep(&apart, NULL);
    both(&end_ns, &end);
    clock.ticks_per_ns = (double)(end - start) / (double)(end_ns - start_ns);
    for (int i = 0; i < 1000; i++) {
        uint64_t before = locklab_ticks();
        uint64_t after = locklab_ticks();

        if (after - before < least)
            least = after - before;
    }
    clock.cost_ns = (double)least / clock.ticks_per_ns;
    clock.turn_ns = (double)shortest_spend(turns) / turns / clock.ticks_per_ns;
    return clock;
}
