/* SPDX-License-Identifier: MIT */
/*
 * Reader-writer lock on one word that prefers writers.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/rwlock_writer.py.
 *
 * In C. The low 31 bits count readers, the upper half counts the writers that wait or are in, and
 * bit 31 says that one is in.
 *
 * Why the orders suffice. Every change of the word is a read-modify-write: a thread that acquires
 * sees all that was done before earlier releases (as in rwlock.h).
 *
 * What it is not. It is not fair: writers overtake all waiting readers, and writers in close
 * succession starve them. A reader that holds the lock and asks for it once more is stuck as soon
 * as a writer has come in between; rwlock.h would let it in. Readers scale no better than there.
 *
 * Source: the rule of Courtois, Heymans and Parnas, CACM 14(10), 1971, problem 2.
 */
#ifndef LOCKLAB_RWLOCK_WRITER_H
#define LOCKLAB_RWLOCK_WRITER_H

#include <stdatomic.h>
#include <stdint.h>

#include "locklab/arch.h"

#define LOCKLAB_RWLOCK_WRITER_INSIDE (UINT64_C(1) << 31)
#define LOCKLAB_RWLOCK_WRITER_ANNOUNCED (UINT64_C(1) << 32)

struct locklab_rwlock_writer {
    _Atomic(uint64_t) state;
};

static inline void locklab_rwlock_writer_init(struct locklab_rwlock_writer *lock)
{
    atomic_init(&lock->state, 0);
}

static inline void locklab_rwlock_writer_read_acquire(struct locklab_rwlock_writer *lock)
{
    while (atomic_fetch_add_explicit(&lock->state, 1, memory_order_acquire) >=
           LOCKLAB_RWLOCK_WRITER_INSIDE) {
        atomic_fetch_sub_explicit(&lock->state, 1, memory_order_relaxed);
        do {
            locklab_pause();
        } while (atomic_load_explicit(&lock->state, memory_order_relaxed) >=
                 LOCKLAB_RWLOCK_WRITER_INSIDE);
    }
}

static inline void locklab_rwlock_writer_read_release(struct locklab_rwlock_writer *lock)
{
    atomic_fetch_sub_explicit(&lock->state, 1, memory_order_release);
}

static inline void locklab_rwlock_writer_write_acquire(struct locklab_rwlock_writer *lock)
{
    uint64_t state = 0;

    if (atomic_compare_exchange_strong_explicit(
            &lock->state, &state, LOCKLAB_RWLOCK_WRITER_ANNOUNCED + LOCKLAB_RWLOCK_WRITER_INSIDE,
            memory_order_acquire, memory_order_relaxed))
        return;
    atomic_fetch_add_explicit(&lock->state, LOCKLAB_RWLOCK_WRITER_ANNOUNCED, memory_order_relaxed);
    for (;;) {
        locklab_pause();
        state = atomic_load_explicit(&lock->state, memory_order_relaxed);
        if (state % LOCKLAB_RWLOCK_WRITER_ANNOUNCED == 0 &&
            atomic_compare_exchange_strong_explicit(&lock->state, &state,
                                                    state + LOCKLAB_RWLOCK_WRITER_INSIDE,
                                                    memory_order_acquire, memory_order_relaxed))
            return;
    }
}

static inline void locklab_rwlock_writer_write_release(struct locklab_rwlock_writer *lock)
{
    atomic_fetch_sub_explicit(&lock->state,
                              LOCKLAB_RWLOCK_WRITER_ANNOUNCED + LOCKLAB_RWLOCK_WRITER_INSIDE,
                              memory_order_release);
}

#endif
