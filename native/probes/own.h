/* SPDX-License-Identifier: MIT */
/*
 * Single-CPU latencies: one operation, repeated, on cache lines that no other thread has.
 *
 * A probe defines PROBE, its name, and TURN(line, value), one operation on a line; `value` carries
 * a dependence from each iteration to the next. tally->count counts iterations, so wall_ns / count is
 * the time of one. The stop flag is read once in OWN_BATCH iterations, and these are unrolled, so the
 * loop itself adds far less than the cheapest operation. Each thread has its own lines, so with many
 * threads the probe shows whether they disturb one another (SMT, clocks).
 */
#include <stdlib.h>
#include <string.h>

#include "harness/harness.h"

#define OWN_BATCH 64
#ifndef OWN_WEIGHT
#define OWN_WEIGHT 1 /* operations in one TURN */
#endif

struct own_line {
    _Alignas(LOCKLAB_PAD) _Atomic(uint64_t) word;
};

static void *prepare(unsigned threads)
{
    size_t size = threads * sizeof(struct own_line);
    struct own_line *lines = aligned_alloc(LOCKLAB_PAD, size);

    if (lines != NULL)
        memset(lines, 0, size);
    return lines;
}

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct own_line *line = (struct own_line *)state + thread;
    uint64_t value = 0, count = 0;

    do {
#pragma GCC unroll 64
        for (int i = 0; i < OWN_BATCH; i++)
            TURN(line, value);
        count += OWN_BATCH * OWN_WEIGHT;
    } while (!atomic_load_explicit(order->stop, memory_order_relaxed));
    tally->count = count;
    (void)line;
    (void)value;
}

static uint64_t updates(const void *state)
{
    (void)state;
    return 0;
}

const struct locklab_loop LOCKLAB_NAME(locklab_throughput_, PROBE) = {prepare, work, updates, free,
                                                                      false};
