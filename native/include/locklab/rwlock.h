/* SPDX-License-Identifier: MIT */
/*
 * Reader-writer lock on one word that prefers readers.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/rwlock.py.
 *
 * In C. The low 31 bits count readers; the top bit says that a writer is in. The count is not
 * protected against 2^31 readers.
 *
 * Why the orders suffice. Every change of the word is a read-modify-write, so a release stays
 * visible through any number of later additions: a thread that acquires sees all that was done
 * before earlier releases.
 *
 * What it is not. It is not scalable for readers, although they do not exclude each other: each
 * one writes the line twice. It is not fair: readers overtake a waiting writer and can starve it.
 *
 * Source: the scheme of Linux 2.6, include/asm-ia64/spinlock.h.
 */
#ifndef LOCKLAB_RWLOCK_H
#define LOCKLAB_RWLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "locklab/arch.h"

#define LOCKLAB_RWLOCK_WRITER UINT32_C(0x80000000)

struct locklab_rwlock {
    _Atomic(uint32_t) state;
};

static inline void locklab_rwlock_init(struct locklab_rwlock *lock)
{
    atomic_init(&lock->state, 0);
}

static inline void locklab_rwlock_read_acquire(struct locklab_rwlock *lock)
{
    while (atomic_fetch_add_explicit(&lock->state, 1, memory_order_acquire) &
           LOCKLAB_RWLOCK_WRITER) {
        atomic_fetch_sub_explicit(&lock->state, 1, memory_order_relaxed);
        do {
            locklab_pause();
        } while (atomic_load_explicit(&lock->state, memory_order_relaxed) & LOCKLAB_RWLOCK_WRITER);
    }
}

static inline void locklab_rwlock_read_release(struct locklab_rwlock *lock)
{
    atomic_fetch_sub_explicit(&lock->state, 1, memory_order_release);
}

static inline void locklab_rwlock_write_acquire(struct locklab_rwlock *lock)
{
    for (;;) {
        uint32_t nobody = 0;

        while (atomic_load_explicit(&lock->state, memory_order_relaxed) != 0)
            locklab_pause();
        if (atomic_compare_exchange_strong_explicit(&lock->state, &nobody, LOCKLAB_RWLOCK_WRITER,
                                                    memory_order_acquire, memory_order_relaxed))
            return;
        locklab_pause();
    }
}

static inline void locklab_rwlock_write_release(struct locklab_rwlock *lock)
{
    atomic_fetch_and_explicit(&lock->state, ~LOCKLAB_RWLOCK_WRITER, memory_order_release);
}

#endif
