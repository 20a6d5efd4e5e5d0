/* SPDX-License-Identifier: MIT */
/*
 * The common part of the probes of shared lines: one line that all threads compete for, and the end.
 *
 * A probe of this kind defines PROBE and the function work(); it includes this file for the rest.
 * Every waiting loop asks pair_goes_on() in each iteration, or a thread would wait forever for one
 * that has ended. The flag stays in each CPU's cache: one hit an iteration.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/harness.h"

struct pair {
    _Alignas(LOCKLAB_PAD) _Atomic(uint64_t) word;
    _Atomic(uint64_t) neighbours[LOCKLAB_LINE / sizeof(uint64_t) - 1]; /* on the word's line */
    _Alignas(LOCKLAB_PAD) unsigned threads;
};

static inline bool pair_goes_on(const struct locklab_order *order)
{
    return !atomic_load_explicit(order->stop, memory_order_relaxed);
}

/* The first number, from the word's present one on, of `thread`; no other thread can pass it. */
static inline uint64_t pair_turn(struct pair *pair, unsigned thread)
{
    uint64_t now = atomic_load_explicit(&pair->word, memory_order_relaxed);

    return now + (thread + pair->threads - now % pair->threads) % pair->threads;
}

static void *prepare(unsigned threads)
{
    struct pair *pair = aligned_alloc(LOCKLAB_PAD, sizeof(*pair));

    if (pair != NULL) {
        memset(pair, 0, sizeof(*pair));
        pair->threads = threads;
    }
    return pair;
}

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally);

static uint64_t updates(const void *state)
{
    const struct pair *pair = state;

    return atomic_load_explicit(&pair->word, memory_order_relaxed);
}

const struct locklab_loop LOCKLAB_NAME(locklab_throughput_, PROBE) = {prepare, work, updates, free,
                                                                      false};
