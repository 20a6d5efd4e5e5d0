/* SPDX-License-Identifier: MIT */
/*
 * Each thread stores to a word of its own, and all the words are on one line.
 *
 * No thread reads another's word, yet the line moves between the CPUs. Between two stores there are
 * mix.think iterations of private work. Compare with own_store. Up to seven threads have different
 * words.
 */
#define PROBE false_sharing
#include "probes/pair.h"

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct pair *pair = state;
    const unsigned words = sizeof(pair->neighbours) / sizeof(pair->neighbours[0]);
    _Atomic(uint64_t) *word = &pair->neighbours[thread % words];
    uint64_t count = 0;

    do {
        atomic_store_explicit(word, ++count, memory_order_relaxed);
        locklab_spend(order->mix.think);
    } while (pair_goes_on(order));
    tally->count = count;
}
