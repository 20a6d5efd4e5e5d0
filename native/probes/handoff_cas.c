/* SPDX-License-Identifier: MIT */
/*
 * A line passed on by compare-and-swap: thread i waits for i, then for i + threads, and so on.
 *
 * A waiter tries to swap all the time, as in the published core-to-core tables. The count is that of
 * handoffs of all threads together: wall_ns / (sum of counts) is the time of one.
 */
#define PROBE handoff_cas
#include "probes/pair.h"

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct pair *pair = state;
    uint64_t mine = pair_turn(pair, thread);
    uint64_t count = 0;

    while (pair_goes_on(order)) {
        uint64_t seen = mine;

        if (atomic_compare_exchange_strong_explicit(&pair->word, &seen, mine + 1,
                                                    memory_order_acq_rel, memory_order_relaxed)) {
            mine += pair->threads;
            count++;
        }
    }
    tally->count = count;
}
