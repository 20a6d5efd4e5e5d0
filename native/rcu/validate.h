/* SPDX-License-Identifier: MIT */
/*
 * The loop that looks for a reader in a version that is gone.
 *
 * Every 64th operation of a thread replaces the version; of these one in two waits for the grace
 * period itself, the other leaves version and waiting to call_rcu(). Readers dwell inside: what
 * they found must still be there when they look again, and be no poison. `torn` counts those that
 * saw half of it change, `overlaps` those that met the poison, and an update that got lost shows as
 * in every lock.
 */
#include "rcu/rcu.h"

#define OPERATIONS_PER_UPDATE 64

static void read_section(struct state *state, uint64_t turn, struct locklab_tally *tally)
{
    struct version *version;
    uint64_t first, second, again;

    rcu_read_lock();
    version = rcu_dereference(state->current);
    first = get(&version->first);
    for (uint64_t i = 0; i < turn % 8; i++)
        locklab_pause();
    second = get(&version->second);
    again = get(&version->first);
    rcu_read_unlock();
    tally->overlaps += first == POISON || second == ~POISON || again == POISON;
    tally->torn += first != second || first != again;
}

static void reclaim(struct rcu_head *head)
{
    poison_and_free(caa_container_of(head, struct version, head));
}

static bool update(struct state *state, uint64_t turn)
{
    struct version *old = replace(state);

    if (old == NULL)
        return false;
    if (turn % 2 == 0) {
        synchronize_rcu();
        poison_and_free(old);
    } else {
        call_rcu(&old->head, reclaim);
    }
    return true;
}

static void work(void *arg, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct state *state = arg;
    sigset_t before;

    (void)thread;
    enter(&before);
    for (uint64_t i = 0; i < order->iterations; i++) {
        if (i % OPERATIONS_PER_UPDATE != 0)
            read_section(state, i, tally);
        else if (update(state, tally->writes))
            tally->writes++;
        tally->count++;
        rcu_quiescent_state();
        if (atomic_load_explicit(order->stop, memory_order_relaxed))
            break;
    }
    leave(&before);
}

/* Its thread is made here, where nothing is pinned: it inherits the mask of its maker. */
static void *prepare_callbacks(unsigned threads)
{
    return get_default_call_rcu_data() != NULL ? prepare(threads) : NULL;
}

/* No callback outlives the run. */
static void dispose_of_all(void *arg)
{
    rcu_barrier();
    dispose(arg);
}

const struct locklab_loop LOCKLAB_NAME(locklab_validate_, KERNEL) = {prepare_callbacks, work,
                                                                     updates, dispose_of_all, true};
