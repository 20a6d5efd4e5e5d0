/* SPDX-License-Identifier: MIT */
/*
 * Sequence lock with a locking reader that excludes everybody but the optimistic readers.
 *
 * Mechanism. As seqlock.h; besides, a reader may take the writers' spinlock without touching the
 * number (read_seqlock_excl in Linux). It sees the data at rest and need not repeat. The optimistic
 * readers notice nothing, because the number stays even and unchanged. It ends a long
 * reader's bad luck: the first try is optimistic, the second one locks.
 *
 * Invariants. Those of seqlock.h. At most one of all writers and locking readers is in.
 *
 * What it is not. It is no reader-writer lock: locking readers run one after another. The lock that
 * lets them in together is seqrwlock.h; Linux chose this one. Nor is it without a trace: the
 * spinlock is on the number's line, so a locking read costs each optimistic reader a transfer.
 *
 * Source: Linux 3.12, include/linux/seqlock.h (read_seqlock_excl).
 */
#ifndef LOCKLAB_SEQLOCK_EXCLUSIVE_H
#define LOCKLAB_SEQLOCK_EXCLUSIVE_H

#include "locklab/seqlock.h"

struct locklab_seqlock_exclusive {
    struct locklab_seqlock seqlock;
};

static inline void locklab_seqlock_exclusive_init(struct locklab_seqlock_exclusive *lock)
{
    locklab_seqlock_init(&lock->seqlock);
}

static inline uint32_t locklab_seqlock_exclusive_read_begin(struct locklab_seqlock_exclusive *lock)
{
    return locklab_seqlock_read_begin(&lock->seqlock);
}

static inline bool locklab_seqlock_exclusive_read_retry(struct locklab_seqlock_exclusive *lock,
                                                        uint32_t number)
{
    return locklab_seqlock_read_retry(&lock->seqlock, number);
}

static inline void locklab_seqlock_exclusive_read_acquire(struct locklab_seqlock_exclusive *lock)
{
    locklab_ticket_acquire(&lock->seqlock.lock);
}

static inline void locklab_seqlock_exclusive_read_release(struct locklab_seqlock_exclusive *lock)
{
    locklab_ticket_release(&lock->seqlock.lock);
}

static inline void locklab_seqlock_exclusive_write_acquire(struct locklab_seqlock_exclusive *lock)
{
    locklab_seqlock_write_acquire(&lock->seqlock);
}

static inline void locklab_seqlock_exclusive_write_release(struct locklab_seqlock_exclusive *lock)
{
    locklab_seqlock_write_release(&lock->seqlock);
}

#endif
