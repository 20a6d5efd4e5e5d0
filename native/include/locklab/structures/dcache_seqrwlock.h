/* SPDX-License-Identifier: MIT */
/*
 * Paths read under rename_lock taken as a blocking reader.
 *
 * Walks run side by side and disturb no optimistic reader's count; each writes the line of the lock
 * twice. A walk never has to be repeated, and a stream of walks makes a rename wait.
 *
 * Source: long-2013, the seqrwlock patches.
 */
#ifndef LOCKLAB_DCACHE_SEQRWLOCK_H
#define LOCKLAB_DCACHE_SEQRWLOCK_H

#include "locklab/seqrwlock.h"
#include "locklab/structures/dcount_lockref.h"

#define LOCKLAB_DCACHE_LOCK struct locklab_seqrwlock
#define locklab_dcache_lock_init locklab_seqrwlock_init
#define locklab_dcache_move_acquire locklab_seqrwlock_write_acquire
#define locklab_dcache_move_release locklab_seqrwlock_write_release

static inline uint64_t locklab_dcache_walk_enter(struct locklab_seqrwlock *lock, unsigned attempt)
{
    (void)attempt;
    locklab_seqrwlock_read_acquire(lock);
    return 0;
}

static inline bool locklab_dcache_walk_leave(struct locklab_seqrwlock *lock, unsigned attempt,
                                             uint64_t token)
{
    (void)attempt, (void)token;
    locklab_seqrwlock_read_release(lock);
    return false;
}

#include "locklab/structures/dcache.h"

#endif
