/* SPDX-License-Identifier: MIT */
/*
 * The loop that looks for wrong answers of a structure.
 *
 * Included after the adapter has defined what throughput.h asks for, and client_validate(), which
 * performs operation number `turn` and checks what it sees. `torn` counts wrong answers,
 * `overlaps` broken invariants. What client_leave() puts into `writes` adds up to updates(), which
 * looks at the structure when everybody has gone: nothing that was put in may get lost.
 */
#include "harness/harness.h"
#include "structures/kernel.h"

static void work(void *arg, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct client client;

    client_init(&client, arg, thread, order);
    for (uint64_t turn = 0; turn < order->iterations; turn++) {
        client_validate(&client, turn, tally);
        if (atomic_load_explicit(order->stop, memory_order_relaxed))
            break; /* given up */
    }
    client_leave(&client, tally);
    tally->count = order->iterations;
}

const struct locklab_loop LOCKLAB_NAME(locklab_validate_, KERNEL) = {prepare, work, updates,
                                                                     dispose, false};
