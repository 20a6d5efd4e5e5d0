/* SPDX-License-Identifier: MIT */
/*
 * The loop that counts a structure's operations, or a workload's, until it is told to stop.
 *
 * Included after the adapter has defined KERNEL, `struct state` with prepare(), updates() and
 * dispose(), and `struct client` with client_init(), client_operate() and client_leave(). What
 * client_operate() returns is added to the count: most return 1.
 */
#include "harness/harness.h"
#include "structures/kernel.h"

static void work(void *arg, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct client client;
    uint64_t count = 0;

    client_init(&client, arg, thread, order);
    do {
        count += client_operate(&client, tally);
        locklab_spend(order->mix.think);
    } while (!atomic_load_explicit(order->stop, memory_order_relaxed));
    client_leave(&client, tally);
    tally->count = count;
}

const struct locklab_loop LOCKLAB_NAME(locklab_throughput_, KERNEL) = {prepare, work, updates,
                                                                       dispose, false};
