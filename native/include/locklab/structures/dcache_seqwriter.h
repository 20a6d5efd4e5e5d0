/* SPDX-License-Identifier: MIT */
/*
 * Paths read under rename_lock taken as a writer: d_path until 2013.
 *
 * A walk changes nothing, yet it counts the sequence up and so makes every optimistic reader of the
 * machine begin again, and walks exclude each other. It never has to be repeated.
 *
 * Source: Linux 3.8, fs/dcache.c, d_path: write_seqlock(&rename_lock).
 */
#ifndef LOCKLAB_DCACHE_SEQWRITER_H
#define LOCKLAB_DCACHE_SEQWRITER_H

#include "locklab/seqlock.h"
#include "locklab/structures/dcount_spinlock.h"

#define LOCKLAB_DCACHE_LOCK struct locklab_seqlock
#define locklab_dcache_lock_init locklab_seqlock_init
#define locklab_dcache_move_acquire locklab_seqlock_write_acquire
#define locklab_dcache_move_release locklab_seqlock_write_release

static inline uint64_t locklab_dcache_walk_enter(struct locklab_seqlock *lock, unsigned attempt)
{
    (void)attempt;
    locklab_seqlock_write_acquire(lock);
    return 0;
}

static inline bool locklab_dcache_walk_leave(struct locklab_seqlock *lock, unsigned attempt,
                                             uint64_t token)
{
    (void)attempt, (void)token;
    locklab_seqlock_write_release(lock);
    return false;
}

#include "locklab/structures/dcache.h"

#endif
