/* SPDX-License-Identifier: MIT */
/*
 * Reference count beside a spinlock: every get and every put takes the lock.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/lockref_spinlock.py.
 *
 * In C. The lock is ticket.h. The count is an atomic word, accessed relaxed under the lock; it is
 * atomic only so that references() may look without the lock.
 *
 * What it is not. It is not scalable: threads that only count wait for one another as for any
 * ticket lock. The waiters spin on the line that the count is on, and take it away from the holder
 * while it counts.
 *
 * Source: Linux 2.6.38 to 3.11, d_count and d_lock of struct dentry, include/linux/dcache.h.
 */
#ifndef LOCKLAB_LOCKREF_SPINLOCK_H
#define LOCKLAB_LOCKREF_SPINLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "locklab/ticket.h"

struct locklab_lockref_spinlock {
    struct locklab_ticket lock;
    _Atomic(uint32_t) count;
};

/* One reference: the maker's. */
static inline void locklab_lockref_spinlock_init(struct locklab_lockref_spinlock *ref)
{
    locklab_ticket_init(&ref->lock);
    atomic_init(&ref->count, 1);
}

static inline void locklab_lockref_spinlock_acquire(struct locklab_lockref_spinlock *ref)
{
    locklab_ticket_acquire(&ref->lock);
}

static inline void locklab_lockref_spinlock_release(struct locklab_lockref_spinlock *ref)
{
    locklab_ticket_release(&ref->lock);
}

/* Stands still while the caller holds the lock. */
static inline uint32_t locklab_lockref_spinlock_references(struct locklab_lockref_spinlock *ref)
{
    return atomic_load_explicit(&ref->count, memory_order_relaxed);
}

static inline uint32_t locklab_lockref_spinlock_count(struct locklab_lockref_spinlock *ref,
                                                      uint32_t change)
{
    uint32_t count;

    locklab_ticket_acquire(&ref->lock);
    count = atomic_load_explicit(&ref->count, memory_order_relaxed) + change;
    atomic_store_explicit(&ref->count, count, memory_order_relaxed);
    locklab_ticket_release(&ref->lock);
    return count;
}

static inline void locklab_lockref_spinlock_get(struct locklab_lockref_spinlock *ref)
{
    locklab_lockref_spinlock_count(ref, 1);
}

/* Returns how many are left; with 0 the object is the caller's alone. */
static inline uint32_t locklab_lockref_spinlock_put(struct locklab_lockref_spinlock *ref)
{
    return locklab_lockref_spinlock_count(ref, -UINT32_C(1));
}

#endif
