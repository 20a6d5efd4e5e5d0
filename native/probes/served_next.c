/* SPDX-License-Identifier: MIT */
/*
 * Who is served next at one line: all threads swap their number into a word, and see who was before.
 *
 * A handoff is a swap that returns another thread's number. mix.option is twice the number of threads
 * of a group, plus 1 to count handoffs inside groups twice. Threads of a group have consecutive
 * numbers and are near one another. wall_ns / (sum of counts) is the time from one handoff to the
 * next; the ratio of the times with both options is 1 plus the share of handoffs that stay in a group.
 */
#define PROBE served_next
#include "probes/pair.h"

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct pair *pair = state;
    const unsigned group = order->mix.option / 2 > 0 ? order->mix.option / 2 : 1;
    const bool twice = order->mix.option % 2 != 0;
    uint64_t count = 0;

    do {
        uint64_t before = atomic_exchange_explicit(&pair->word, thread, memory_order_relaxed);

        if (before != thread)
            count += twice && before / group == thread / group ? 2 : 1;
    } while (pair_goes_on(order));
    tally->count = count;
}
