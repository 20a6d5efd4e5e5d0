/* SPDX-License-Identifier: MIT */
/*
 * The loop that stresses a lock: the sections of validate, for a time, by threads with random delays
 * (disturb.h). Besides the violations that validate counts, it reports how often other threads
 * entered while a thread waited (tally->passed).
 */
#define LOCKLAB_SECTIONS_ONLY
#include "harness/disturb.h"
#include "harness/validate.h"

static void work(void *arg, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct state *state = arg;
    uint64_t turn = thread; /* so that threads do not take the exclusive side at the same time */

    locklab_disturb_begin(order->mix.seed * 65536 + thread + 1);
    do {
        section(state, &state->seats[thread].node, thread, turn++, tally);
    } while (!atomic_load_explicit(order->stop, memory_order_relaxed));
    locklab_disturb_end();
    tally->count = turn - thread;
}

const struct locklab_loop LOCKLAB_NAME(locklab_torture_, KERNEL) = {prepare, work, UPDATES, free,
                                                                    LOCKLAB_HAS_READ};
