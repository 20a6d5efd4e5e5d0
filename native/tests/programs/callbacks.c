/* SPDX-License-Identifier: MIT */
/*
 * Setup replaces a box many times, and call_rcu frees the old ones.
 *
 * WAITS: it waits for all callbacks. Otherwise the last one runs among the threads, and with BUG it
 * writes what they read.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <urcu.h>

#ifndef BUG
#define BUG 0
#endif
enum { TIMES = 500 };

struct box {
    int value;
    struct rcu_head head;
};

static struct box *shared;
static int freed;

static void reclaim(struct rcu_head *head)
{
    if (BUG)
        freed++;
    free(caa_container_of(head, struct box, head));
}

static void replace(int value)
{
    struct box *made = malloc(sizeof(*made)), *old = shared;

    made->value = value;
    rcu_assign_pointer(shared, made);
    if (old != NULL)
        call_rcu(&old->head, reclaim);
}

void locklab_setup(void)
{
    rcu_register_thread();
    for (int i = 1; i <= TIMES; i++) {
        replace(i);
        if (WAITS || i < TIMES)
            rcu_barrier();
    }
}

void locklab_thread(int me)
{
    struct box *seen;

    rcu_register_thread();
    rcu_read_lock();
    seen = rcu_dereference(shared);
    locklab_assert(seen->value >= TIMES);
    if (BUG)
        locklab_assert(freed >= TIMES - 2);
    rcu_read_unlock();
    if (me == 0) {
        replace(TIMES + 1);
        rcu_barrier();
    }
    rcu_unregister_thread();
}

void locklab_check(void)
{
    locklab_assert(shared->value == TIMES + 1);
    free(shared);
    rcu_unregister_thread();
}
