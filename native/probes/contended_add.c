/* SPDX-License-Identifier: MIT */
/*
 * All threads add to one word, with mix.think iterations of private work between two additions.
 *
 * The values that the additions return show whether another thread came in between. tally->overlaps
 * counts the additions before which one did, so count / overlaps is the mean run length: the number
 * of additions of a CPU before it loses the line. Runs longer than 1 without think time show the
 * line hold time (tenure).
 */
#define PROBE contended_add
#include "probes/pair.h"

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct pair *pair = state;
    uint64_t before = UINT64_MAX;
    uint64_t count = 0, runs = 0;

    (void)thread;
    do {
        uint64_t value = atomic_fetch_add_explicit(&pair->word, 1, memory_order_relaxed);

        runs += value != before + 1;
        before = value;
        count++;
        locklab_spend(order->mix.think);
    } while (pair_goes_on(order));
    tally->count = count;
    tally->overlaps = runs;
}
