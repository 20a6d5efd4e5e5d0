/* SPDX-License-Identifier: MIT */
/* The sequence lock with a locking reader, joined to the harness. Its read side is the one that
 * waits; the optimistic one is seqlock's, and is validated beside it. */
#include "harness/pause.h"
#include "locklab/seqlock_exclusive.h"

#define KERNEL seqlock_exclusive
#define LOCK struct locklab_seqlock_exclusive
#define INIT(lock) locklab_seqlock_exclusive_init(lock)
#define ACQUIRE(lock, node) locklab_seqlock_exclusive_write_acquire(lock)
#define RELEASE(lock, node) locklab_seqlock_exclusive_write_release(lock)
#define READ_ACQUIRE(lock, node) locklab_seqlock_exclusive_read_acquire(lock)
#define READ_RELEASE(lock, node) locklab_seqlock_exclusive_read_release(lock)
#define OPTIMISTIC_ACQUIRE(lock, node)                                                             \
    LOCKLAB_OPTIMISTIC(locklab_seqlock_exclusive_read_begin(lock))
#define OPTIMISTIC_RELEASE(lock, node) LOCKLAB_UNTIL_NOT(locklab_seqlock_exclusive_read_retry, lock)

#include LOCKLAB_LOOP
