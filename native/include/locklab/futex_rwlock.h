/* SPDX-License-Identifier: MIT */
/*
 * Reader-writer lock of one futex, as a C library has it: readers first, and waiters sleep.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/futex_rwlock.py.
 *
 * In C. A waiter pauses once before it sleeps, which is how the harness sees that it waited. The
 * count of waiters lies beside the word.
 *
 * Why the orders suffice. Only read-modify-writes change the word but for none: a release stays
 * visible through the later ones, so a writer sees what all readers before it did. Counts and marks
 * of waiters are relaxed: what the kernel compares is the word, and who is woken comes after those
 * who slept before.
 *
 * What it is not. It is not scalable for readers, although they do not exclude each other: each
 * one writes the line twice. It is not fair: readers overtake a waiting writer and can starve it.
 *
 * Source: the scheme of musl 1.2, src/thread/pthread_rwlock_*.c.
 */
#ifndef LOCKLAB_FUTEX_RWLOCK_H
#define LOCKLAB_FUTEX_RWLOCK_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "locklab/arch.h"
#include "locklab/sleep.h"

#define LOCKLAB_FUTEX_RWLOCK_WRITER UINT32_C(0x7fffffff)
#define LOCKLAB_FUTEX_RWLOCK_SLEEPERS UINT32_C(0x80000000)

struct locklab_futex_rwlock {
    _Atomic(uint32_t) value;
    _Atomic(uint32_t) waiters;
};

static inline void locklab_futex_rwlock_init(struct locklab_futex_rwlock *lock)
{
    atomic_init(&lock->value, 0);
    atomic_init(&lock->waiters, 0);
}

static inline uint32_t locklab_futex_rwlock_look(struct locklab_futex_rwlock *lock)
{
    return atomic_load_explicit(&lock->value, memory_order_relaxed);
}

static inline bool locklab_futex_rwlock_is_written(uint32_t value)
{
    return (value & LOCKLAB_FUTEX_RWLOCK_WRITER) == LOCKLAB_FUTEX_RWLOCK_WRITER;
}

/* Sleeps if the word still has the value, with or without the mark. */
static inline void locklab_futex_rwlock_wait(struct locklab_futex_rwlock *lock, uint32_t value)
{
    uint32_t marked = value | LOCKLAB_FUTEX_RWLOCK_SLEEPERS;

    atomic_fetch_add_explicit(&lock->waiters, 1, memory_order_relaxed);
    atomic_compare_exchange_strong_explicit(&lock->value, &value, marked, memory_order_relaxed,
                                            memory_order_relaxed);
    locklab_sleep(&lock->value, marked);
    atomic_fetch_sub_explicit(&lock->waiters, 1, memory_order_relaxed);
}

static inline bool locklab_futex_rwlock_try_read(struct locklab_futex_rwlock *lock)
{
    uint32_t value = locklab_futex_rwlock_look(lock);

    while (!locklab_futex_rwlock_is_written(value))
        if (atomic_compare_exchange_strong_explicit(&lock->value, &value, value + 1,
                                                    memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

static inline void locklab_futex_rwlock_read_acquire(struct locklab_futex_rwlock *lock)
{
    if (locklab_futex_rwlock_try_read(lock))
        return;
    locklab_pause();
    while (!locklab_futex_rwlock_try_read(lock)) {
        uint32_t value = locklab_futex_rwlock_look(lock);

        if (locklab_futex_rwlock_is_written(value))
            locklab_futex_rwlock_wait(lock, value);
    }
}

static inline void locklab_futex_rwlock_read_release(struct locklab_futex_rwlock *lock)
{
    uint32_t value = locklab_futex_rwlock_look(lock), after, waiters;

    do {
        waiters = atomic_load_explicit(&lock->waiters, memory_order_relaxed);
        after = (value & LOCKLAB_FUTEX_RWLOCK_WRITER) == 1 ? 0 : value - 1;
    } while (!atomic_compare_exchange_weak_explicit(&lock->value, &value, after,
                                                    memory_order_release, memory_order_relaxed));
    if (after == 0 && (waiters != 0 || (value & LOCKLAB_FUTEX_RWLOCK_SLEEPERS) != 0))
        locklab_wake(&lock->value, 1);
}

static inline bool locklab_futex_rwlock_try_write(struct locklab_futex_rwlock *lock)
{
    uint32_t free = 0;

    return atomic_compare_exchange_strong_explicit(&lock->value, &free,
                                                   LOCKLAB_FUTEX_RWLOCK_WRITER,
                                                   memory_order_acquire, memory_order_relaxed);
}

static inline void locklab_futex_rwlock_write_acquire(struct locklab_futex_rwlock *lock)
{
    if (locklab_futex_rwlock_try_write(lock))
        return;
    locklab_pause();
    while (!locklab_futex_rwlock_try_write(lock)) {
        uint32_t value = locklab_futex_rwlock_look(lock);

        if (value != 0)
            locklab_futex_rwlock_wait(lock, value);
    }
}

static inline void locklab_futex_rwlock_write_release(struct locklab_futex_rwlock *lock)
{
    uint32_t waiters = atomic_load_explicit(&lock->waiters, memory_order_relaxed);
    uint32_t value = atomic_exchange_explicit(&lock->value, 0, memory_order_release);

    if (waiters != 0 || (value & LOCKLAB_FUTEX_RWLOCK_SLEEPERS) != 0)
        locklab_wake(&lock->value, INT_MAX);
}

#endif
