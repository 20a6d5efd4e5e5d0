/* SPDX-License-Identifier: MIT */
/*
 * The loop that counts acquire + release pairs until the stop flag is set.
 *
 * The section is empty and the count is in a register: the time is that of the pair, and of the
 * load of the stop flag, which stays in the cache. The same loop without a lock (kernel `none`)
 * shows the cost of the loop itself, and whether the compiler kept the pair of a lock.
 */
#include "harness/state.h"

#define COUNT_PAIRS(acquire, release)                                                              \
    do {                                                                                           \
        acquire(&state->lock, node);                                                               \
        release(&state->lock, node);                                                               \
        count++;                                                                                   \
    } while (!atomic_load_explicit(order->stop, memory_order_relaxed))

static void work(void *arg, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct state *state = arg;
    NODE *node = &state->seats[thread].node;
    uint64_t count = 0;

#ifdef READ_ACQUIRE
    if (order->read) {
        COUNT_PAIRS(READ_ACQUIRE, READ_RELEASE);
        tally->count = count;
        return;
    }
#endif
    COUNT_PAIRS(ACQUIRE, RELEASE);
    tally->count = count;
    tally->writes = count;
    (void)node;
}

const struct locklab_loop LOCKLAB_NAME(locklab_throughput_, KERNEL) = {
    prepare, work, updates, free, LOCKLAB_HAS_READ};
