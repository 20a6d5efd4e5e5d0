/* SPDX-License-Identifier: MIT */
/*
 * The loop that counts read-side sections, or updates, until it is told to stop.
 *
 * A section holds one load of the pointer and one through it: without them qsbr's, which is no
 * instruction at all, would be deleted together with the loop around it. A quiescent state is told
 * every 1024 sections, as liburcu's own benchmark does; for the flavours that have none this
 * is nothing. An update is a replacement and a grace period.
 */
#include "rcu/rcu.h"

#define SECTIONS_PER_QUIESCENT_STATE 1024

static uint64_t read_sections(struct state *state, const atomic_bool *stop)
{
    uint64_t count = 0;

    do {
        struct version *version;

        rcu_read_lock();
        version = rcu_dereference(state->current);
        locklab_use(get(&version->first));
        rcu_read_unlock();
        if (++count % SECTIONS_PER_QUIESCENT_STATE == 0)
            rcu_quiescent_state();
    } while (!atomic_load_explicit(stop, memory_order_relaxed));
    return count;
}

static uint64_t update(struct state *state, const atomic_bool *stop)
{
    uint64_t count = 0;

    do {
        struct version *old = replace(state);

        if (old == NULL)
            return count;
        synchronize_rcu();
        poison_and_free(old);
        count++;
    } while (!atomic_load_explicit(stop, memory_order_relaxed));
    return count;
}

static void work(void *arg, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct state *state = arg;
    sigset_t before;

    (void)thread;
    enter(&before);
    if (order->read) {
        tally->count = read_sections(state, order->stop);
    } else {
        tally->count = update(state, order->stop);
        tally->writes = tally->count;
    }
    leave(&before);
}

const struct locklab_loop LOCKLAB_NAME(locklab_throughput_, KERNEL) = {prepare, work, updates,
                                                                       dispose, true};
