/* SPDX-License-Identifier: MIT */
/* A reader that read before the update has stored, when the grace period is over, what it stored. */
#include <stdatomic.h>
#include <urcu.h>

static _Atomic int updated, stored;
static int old;

void locklab_thread(int me)
{
    if (me == 0) {
        rcu_register_thread();
        rcu_read_lock();
        old = !atomic_load_explicit(&updated, memory_order_relaxed);
        if (old)
            atomic_store_explicit(&stored, 1, memory_order_relaxed);
        rcu_read_unlock();
        rcu_unregister_thread();
    } else {
        atomic_store_explicit(&updated, 1, memory_order_relaxed);
        synchronize_rcu();
        if (!atomic_load_explicit(&stored, memory_order_relaxed))
            locklab_mark("the reader has seen the update");
    }
}
