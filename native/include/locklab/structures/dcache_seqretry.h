/* SPDX-License-Identifier: MIT */
/*
 * Paths read without a lock, and under it if a rename came by: what Linux does since 3.12.
 *
 * The first attempt looks at the sequence only and writes nothing. If a thread renamed meanwhile,
 * the second one excludes writers and other second attempts, leaves the count alone, and is the
 * last.
 *
 * Source: Linux 3.12, fs/dcache.c: read_seqbegin_or_lock(&rename_lock, ...), done_seqretry.
 */
#ifndef LOCKLAB_DCACHE_SEQRETRY_H
#define LOCKLAB_DCACHE_SEQRETRY_H

#include "locklab/seqlock_exclusive.h"
#include "locklab/structures/dcount_lockref.h"

#define LOCKLAB_DCACHE_LOCK struct locklab_seqlock_exclusive
#define locklab_dcache_lock_init locklab_seqlock_exclusive_init
#define locklab_dcache_move_acquire locklab_seqlock_exclusive_write_acquire
#define locklab_dcache_move_release locklab_seqlock_exclusive_write_release

static inline uint64_t locklab_dcache_walk_enter(struct locklab_seqlock_exclusive *lock,
                                                 unsigned attempt)
{
    if (attempt == 0)
        return locklab_seqlock_exclusive_read_begin(lock);
    locklab_seqlock_exclusive_read_acquire(lock);
    return 0;
}

static inline bool locklab_dcache_walk_leave(struct locklab_seqlock_exclusive *lock,
                                             unsigned attempt, uint64_t token)
{
    if (attempt == 0)
        return locklab_seqlock_exclusive_read_retry(lock, (uint32_t)token);
    locklab_seqlock_exclusive_read_release(lock);
    return false;
}

#include "locklab/structures/dcache.h"

#endif
