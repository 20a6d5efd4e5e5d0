/* SPDX-License-Identifier: MIT */
/*
 * A line passed on by a store: each thread reads it until its number comes, then writes the next.
 *
 * Most locks do the handoff in this way. It reads a line that another CPU has modified, and then
 * takes the right to write it from that CPU and from all others that wait. With option 1 a waiter
 * pauses between two reads, as waiting loops do. One handoff takes wall_ns / (sum of counts).
 */
#define PROBE handoff_store
#include "probes/pair.h"

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct pair *pair = state;
    const bool pauses = order->mix.option != 0;
    uint64_t mine = pair_turn(pair, thread);
    uint64_t count = 0;

    while (pair_goes_on(order)) {
        if (atomic_load_explicit(&pair->word, memory_order_acquire) != mine) {
            if (pauses)
                locklab_pause();
            continue;
        }
        atomic_store_explicit(&pair->word, mine + 1, memory_order_release);
        mine += pair->threads;
        count++;
    }
    tally->count = count;
}
