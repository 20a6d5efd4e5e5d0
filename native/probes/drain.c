/* SPDX-License-Identifier: MIT */
/*
 * mix.option stores to different lines, then a fence that waits until they have left the buffer.
 *
 * With one thread the lines stay in the CPU's cache, and the probe shows how fast the buffer drains.
 * With more threads all write the same lines, and each store in the buffer waits for its line. The
 * count is that of fences.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/harness.h"

#define DRAIN_LINES 64

struct drain {
    struct {
        _Alignas(LOCKLAB_PAD) _Atomic(uint64_t) word;
    } lines[DRAIN_LINES];
};

static void *prepare(unsigned threads)
{
    struct drain *drain = aligned_alloc(LOCKLAB_PAD, sizeof(*drain));

    (void)threads;
    if (drain != NULL)
        memset(drain, 0, sizeof(*drain));
    return drain;
}

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct drain *drain = state;
    const unsigned stores = order->mix.option < DRAIN_LINES ? order->mix.option : DRAIN_LINES;
    uint64_t count = 0;

    (void)thread;
    do {
        for (unsigned i = 0; i < stores; i++)
            atomic_store_explicit(&drain->lines[i].word, count, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        count++;
    } while (!atomic_load_explicit(order->stop, memory_order_relaxed));
    tally->count = count;
}

static uint64_t updates(const void *state)
{
    (void)state;
    return 0;
}

const struct locklab_loop locklab_throughput_drain = {prepare, work, updates, free, false};
