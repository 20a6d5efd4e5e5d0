/* SPDX-License-Identifier: MIT */
/*
 * Sequence count and reader-writer lock: optimistic readers, blocking readers, writers.
 *
 * Mechanism. As seqlock.h, with a reader-writer lock where that has a spinlock. A writer takes it
 * for writing and counts the sequence up round its change. A blocking reader takes it for reading:
 * it waits for the writer, keeps writers out, needs no second look, and lets other blocking readers
 * in beside it. An optimistic reader looks at the sequence only.
 *
 * It was made for the kernel's rename_lock. d_path() took that as a writer, though it changes
 * nothing, only so as not to be disturbed: each call made the path look-ups of the whole machine,
 * which are optimistic readers, begin again. As a blocking reader it disturbs neither them nor
 * its like.
 *
 * Invariants. The sequence changes only while the lock is held for writing; so it stands still, and
 * is even, while a blocking reader is in. Never a writer together with a blocking reader.
 *
 * Why the orders suffice. Optimistic readers: as in seqlock.h. Blocking ones: as in rwlock.h.
 *
 * What it is not. It is not fair: the reader-writer lock prefers readers, so a steady stream of
 * blocking readers starves the writers, and writers in close succession starve optimistic
 * readers. Blocking readers do not scale: each one writes the lock's word twice, and the
 * sequence is on that word's line.
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
