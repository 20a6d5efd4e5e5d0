/* SPDX-License-Identifier: MIT */
/*
 * Sequence count and reader-writer lock: optimistic readers, blocking readers, writers.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/seqrwlock.py.
 *
 * In C. As seqlock.h, with rwlock.h where that has a spinlock.
 *
 * Why the orders suffice. Optimistic readers: as in seqlock.h. Blocking ones: as in rwlock.h.
 *
 * What it is not. It is not fair: the reader-writer lock prefers readers, so a steady stream of
 * blocking readers starves the writers, and writers in close succession starve optimistic
 * readers. Blocking readers do not scale: each one writes the lock's word twice, and the sequence
 * is on that word's line.
 *
 * Source: Long, "seqrwlock", Linux kernel mailing list, 2013 (never merged; mainline took the
 * exclusive reader of seqlock_exclusive.h).
 */
#ifndef LOCKLAB_SEQRWLOCK_H
#define LOCKLAB_SEQRWLOCK_H

#include "locklab/rwlock.h"
#include "locklab/seqlock.h"

struct locklab_seqrwlock {
    struct locklab_seqcount count;
    struct locklab_rwlock lock;
};

static inline void locklab_seqrwlock_init(struct locklab_seqrwlock *lock)
{
    locklab_seqcount_init(&lock->count);
    locklab_rwlock_init(&lock->lock);
}

static inline uint32_t locklab_seqrwlock_read_begin(struct locklab_seqrwlock *lock)
{
    return locklab_seqcount_read_begin(&lock->count);
}

static inline bool locklab_seqrwlock_read_retry(struct locklab_seqrwlock *lock, uint32_t number)
{
    return locklab_seqcount_read_retry(&lock->count, number);
}

static inline void locklab_seqrwlock_read_acquire(struct locklab_seqrwlock *lock)
{
    locklab_rwlock_read_acquire(&lock->lock);
}

static inline void locklab_seqrwlock_read_release(struct locklab_seqrwlock *lock)
{
    locklab_rwlock_read_release(&lock->lock);
}

static inline void locklab_seqrwlock_write_acquire(struct locklab_seqrwlock *lock)
{
    locklab_rwlock_write_acquire(&lock->lock);
    locklab_seqcount_write_begin(&lock->count);
}

static inline void locklab_seqrwlock_write_release(struct locklab_seqrwlock *lock)
{
    locklab_seqcount_write_end(&lock->count);
    locklab_rwlock_write_release(&lock->lock);
}

#endif
