/* SPDX-License-Identifier: MIT */
/*
 * Thread 0 adds to a word, all others read it again and again.
 *
 * Between two additions there are mix.think iterations, enough for every reader to get its copy
 * back: an addition then invalidates one copy of each reader. The cost of invalidation for the
 * writer is wall_ns / count of thread 0 less that of a run without readers. The readers count the
 * values that they saw: fewer than thread 0 wrote means that the think time was too short.
 */
#define PROBE write_shared
#include "probes/pair.h"

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct pair *pair = state;
    uint64_t count = 0, before = UINT64_MAX;

    while (thread == 0 && pair_goes_on(order)) {
        atomic_fetch_add_explicit(&pair->word, 1, memory_order_relaxed);
        count++;
        locklab_spend(order->mix.think);
    }
    while (pair_goes_on(order)) {
        uint64_t value = atomic_load_explicit(&pair->word, memory_order_relaxed);

        count += value != before;
        before = value;
    }
    tally->count = count;
}
