/* SPDX-License-Identifier: MIT */
/*
 * Sequence lock with a locking reader that excludes all threads but the optimistic readers.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/seqlock_exclusive.py.
 *
 * In C. As seqlock.h; read_acquire and read_release are the locking reader's (read_seqlock_excl in
 * Linux). The memory orders are those of seqlock.h and of its spinlock.
 *
 * What it is not. It is not a reader-writer lock: locking readers run one after another. The lock
 * that lets them in together is seqrwlock.h; Linux chose this one. A locking read also costs each
 * optimistic reader a transfer, because the spinlock is on the number's line.
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
