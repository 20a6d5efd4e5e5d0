/* SPDX-License-Identifier: MIT */
/*
 * Test-and-test-and-set lock: try once, then watch a cached copy until the lock looks free.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/ttas.py.
 *
 * In C. Each attempt is a compare-and-swap that acquires; waiting is by relaxed loads.
 *
 * What it is not. It is not fair, and it is quiet only while the lock is held: each release sends
 * every waiter to the line at once, first to read and then to try.
 *
 * Source: Rudolph and Segall, ISCA 1984; Linux ia64 until 2.6.23 works in this order.
 */
#ifndef LOCKLAB_TTAS_H
#define LOCKLAB_TTAS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "locklab/arch.h"

struct locklab_ttas {
    _Atomic(uint32_t) locked;
};

static inline void locklab_ttas_init(struct locklab_ttas *lock)
{
    atomic_init(&lock->locked, 0);
}

/* One attempt; true when the lock is ours. */
static inline bool locklab_ttas_take(struct locklab_ttas *lock)
{
    uint32_t free_word = 0;

    return atomic_compare_exchange_strong_explicit(&lock->locked, &free_word, 1,
                                                   memory_order_acquire, memory_order_relaxed);
}

static inline void locklab_ttas_acquire(struct locklab_ttas *lock)
{
    while (!locklab_ttas_take(lock)) {
        do {
            locklab_pause();
        } while (atomic_load_explicit(&lock->locked, memory_order_relaxed) != 0);
    }
}

static inline void locklab_ttas_release(struct locklab_ttas *lock)
{
    atomic_store_explicit(&lock->locked, 0, memory_order_release);
}

#endif
