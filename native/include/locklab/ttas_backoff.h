/* SPDX-License-Identifier: MIT */
/*
 * Test-and-test-and-set with back-off: a thread that lost an attempt stays away for a while.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/ttas_backoff.py.
 *
 * In C. Before it looks again a waiter pauses, LOCKLAB_BACKOFF_MIN times after its first lost
 * attempt and twice as often after each further one, up to LOCKLAB_BACKOFF_MAX. The unit is one
 * locklab_pause(). The delay is a local variable of one acquisition: nothing about it is shared or
 * remembered. The delays are not random, as Anderson's are: there is no generator here to seed.
 *
 * What it is not. It is less fair than TTAS: the thread that has waited longest stays away longest.
 * The limits are not universal; they fit one length of critical section on one machine.
 *
 * Source: Anderson, IEEE TPDS 1(1), 1990, section 3.
 */
#ifndef LOCKLAB_TTAS_BACKOFF_H
#define LOCKLAB_TTAS_BACKOFF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "locklab/arch.h"

#ifndef LOCKLAB_BACKOFF_MIN
#define LOCKLAB_BACKOFF_MIN 4
#endif
#ifndef LOCKLAB_BACKOFF_MAX
#define LOCKLAB_BACKOFF_MAX 1024
#endif
_Static_assert(1 <= LOCKLAB_BACKOFF_MIN && LOCKLAB_BACKOFF_MIN <= LOCKLAB_BACKOFF_MAX,
               "set 1 <= LOCKLAB_BACKOFF_MIN <= LOCKLAB_BACKOFF_MAX: 0 pauses would never back off");

struct locklab_ttas_backoff {
    _Atomic(uint32_t) locked;
};

static inline void locklab_ttas_backoff_init(struct locklab_ttas_backoff *lock)
{
    atomic_init(&lock->locked, 0);
}

/* One attempt; true when the lock is ours. */
static inline bool locklab_ttas_backoff_take(struct locklab_ttas_backoff *lock)
{
    uint32_t free_word = 0;

    return atomic_compare_exchange_strong_explicit(&lock->locked, &free_word, 1,
                                                   memory_order_acquire, memory_order_relaxed);
}

static inline void locklab_ttas_backoff_acquire(struct locklab_ttas_backoff *lock)
{
    unsigned delay = LOCKLAB_BACKOFF_MIN;

    while (!locklab_ttas_backoff_take(lock)) {
        do {
            for (unsigned i = 0; i < delay; i++)
                locklab_pause();
        } while (atomic_load_explicit(&lock->locked, memory_order_relaxed) != 0);
        delay = delay > LOCKLAB_BACKOFF_MAX / 2 ? LOCKLAB_BACKOFF_MAX : 2 * delay;
    }
}

static inline void locklab_ttas_backoff_release(struct locklab_ttas_backoff *lock)
{
    atomic_store_explicit(&lock->locked, 0, memory_order_release);
}

#endif
