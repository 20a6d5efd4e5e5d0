/* SPDX-License-Identifier: MIT */
/*
 * Futex mutex: one word, and a system call only where a thread must sleep or one may be asleep.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/futex.py.
 *
 * In C. A waiter pauses once before it sleeps, which is how the harness sees that it waited. The
 * count down and the store at release are both releases: the next holder may read either one's
 * value.
 *
 * What it is not. It is not fair: a thread that comes overtakes one that is being woken. It does
 * not spin before it sleeps. It is not recursive and not robust: a holder that ends keeps it.
 *
 * Source: Drepper, Futexes Are Tricky, 2011, "Mutex, Take 3".
 */
#ifndef LOCKLAB_FUTEX_H
#define LOCKLAB_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

#include "locklab/arch.h"
#include "locklab/sleep.h"

enum { LOCKLAB_FUTEX_FREE, LOCKLAB_FUTEX_HELD, LOCKLAB_FUTEX_SLEEPERS };

struct locklab_futex {
    _Atomic(uint32_t) value;
};

static inline void locklab_futex_init(struct locklab_futex *lock)
{
    atomic_init(&lock->value, LOCKLAB_FUTEX_FREE);
}

static inline uint32_t locklab_futex_mark(struct locklab_futex *lock)
{
    return atomic_exchange_explicit(&lock->value, LOCKLAB_FUTEX_SLEEPERS, memory_order_acquire);
}

static inline void locklab_futex_acquire(struct locklab_futex *lock)
{
    uint32_t found = LOCKLAB_FUTEX_FREE;

    if (atomic_compare_exchange_strong_explicit(&lock->value, &found, LOCKLAB_FUTEX_HELD,
                                                memory_order_acquire, memory_order_relaxed))
        return;
    locklab_pause();
    if (found != LOCKLAB_FUTEX_SLEEPERS)
        found = locklab_futex_mark(lock);
    while (found != LOCKLAB_FUTEX_FREE) {
        locklab_sleep(&lock->value, LOCKLAB_FUTEX_SLEEPERS);
        found = locklab_futex_mark(lock);
    }
}

static inline void locklab_futex_release(struct locklab_futex *lock)
{
    if (atomic_fetch_sub_explicit(&lock->value, 1, memory_order_release) != LOCKLAB_FUTEX_HELD) {
        atomic_store_explicit(&lock->value, LOCKLAB_FUTEX_FREE, memory_order_release);
        locklab_wake(&lock->value, 1);
    }
}

#endif
