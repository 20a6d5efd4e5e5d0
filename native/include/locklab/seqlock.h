/* SPDX-License-Identifier: MIT */
/*
 * Sequence lock: readers write nothing, and read again if a writer came by.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/seqlock.py.
 *
 *     do {
 *         number = locklab_seqlock_read_begin(&lock);
 *         x = atomic_load_explicit(&data.x, memory_order_relaxed);
 *         y = atomic_load_explicit(&data.y, memory_order_relaxed);
 *     } while (locklab_seqlock_read_retry(&lock, number));
 *
 * In C. The data is read and written by relaxed atomics, because readers and a writer do overlap.
 * A reader must not follow what it has read as a pointer before read_retry(). The sequence has 32
 * bits: a reader that sleeps through exactly 2^31 writes does not notice them.
 *
 * The sequence by itself, for locks that bring another kind of exclusion between writers, is
 * struct locklab_seqcount (seqrwlock.h uses it).
 *
 * Why the orders suffice. read_begin's acquire meets the last writer's end. The second look must
 * come after the loads of the data, which no order on a load says: hence a fence(acquire) before
 * it. The odd number must come before the stores of the data, which no order on a store says: hence
 * a fence(release) after it. If a reader's load of data meets a writer's store, the two fences
 * synchronise and the second look sees at least the odd number. On x86 neither is an instruction.
 * ThreadSanitizer does not know fences; as the data is atomic, it reports nothing.
 *
 * What it is not. It is not fair to readers: writers that follow closely on one another make a
 * reader repeat for ever. It is not free for them either when there are writers: each write takes
 * the number out of every reader's cache.
 *
 * Source: Linux 2.5.60, include/linux/seqlock.h; the orders from Boehm, MSPC 2012, section 4.
 */
#ifndef LOCKLAB_SEQLOCK_H
#define LOCKLAB_SEQLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "locklab/arch.h"
#include "locklab/ticket.h"

struct locklab_seqcount {
    _Atomic(uint32_t) sequence;
};

struct locklab_seqlock {
    struct locklab_seqcount count;
    struct locklab_ticket lock;
};

static inline void locklab_seqcount_init(struct locklab_seqcount *count)
{
    atomic_init(&count->sequence, 0);
}

/* Waits until no writer is in; returns the number to pass to read_retry. */
static inline uint32_t locklab_seqcount_read_begin(struct locklab_seqcount *count)
{
    uint32_t number;

    while ((number = atomic_load_explicit(&count->sequence, memory_order_acquire)) & 1)
        locklab_pause();
    return number;
}

/* Whether a writer came by since the number was read: then what was read is void. */
static inline bool locklab_seqcount_read_retry(struct locklab_seqcount *count, uint32_t number)
{
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&count->sequence, memory_order_relaxed) != number;
}

/* The caller keeps other writers out. */
static inline void locklab_seqcount_write_begin(struct locklab_seqcount *count)
{
    uint32_t number = atomic_load_explicit(&count->sequence, memory_order_relaxed);

    atomic_store_explicit(&count->sequence, number + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static inline void locklab_seqcount_write_end(struct locklab_seqcount *count)
{
    uint32_t number = atomic_load_explicit(&count->sequence, memory_order_relaxed);

    atomic_store_explicit(&count->sequence, number + 1, memory_order_release);
}

static inline void locklab_seqlock_init(struct locklab_seqlock *lock)
{
    locklab_seqcount_init(&lock->count);
    locklab_ticket_init(&lock->lock);
}

static inline uint32_t locklab_seqlock_read_begin(struct locklab_seqlock *lock)
{
    return locklab_seqcount_read_begin(&lock->count);
}

static inline bool locklab_seqlock_read_retry(struct locklab_seqlock *lock, uint32_t number)
{
    return locklab_seqcount_read_retry(&lock->count, number);
}

static inline void locklab_seqlock_write_acquire(struct locklab_seqlock *lock)
{
    locklab_ticket_acquire(&lock->lock);
    locklab_seqcount_write_begin(&lock->count);
}

static inline void locklab_seqlock_write_release(struct locklab_seqlock *lock)
{
    locklab_seqcount_write_end(&lock->count);
    locklab_ticket_release(&lock->lock);
}

#endif
