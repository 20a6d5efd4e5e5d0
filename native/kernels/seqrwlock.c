/* SPDX-License-Identifier: MIT */
/* The sequence count with a reader-writer lock, joined to the harness. Its read side is the one
 * that waits; the optimistic one is seqlock's, and is validated beside it. */
#include "harness/pause.h"
#include "locklab/seqrwlock.h"

#define KERNEL seqrwlock
#define LOCK struct locklab_seqrwlock
#define INIT(lock) locklab_seqrwlock_init(lock)
#define ACQUIRE(lock, node) locklab_seqrwlock_write_acquire(lock)
#define RELEASE(lock, node) locklab_seqrwlock_write_release(lock)
#define READ_ACQUIRE(lock, node) locklab_seqrwlock_read_acquire(lock)
#define READ_RELEASE(lock, node) locklab_seqrwlock_read_release(lock)
#define OPTIMISTIC_ACQUIRE(lock, node) LOCKLAB_OPTIMISTIC(locklab_seqrwlock_read_begin(lock))
#define OPTIMISTIC_RELEASE(lock, node) LOCKLAB_UNTIL_NOT(locklab_seqrwlock_read_retry, lock)

#include LOCKLAB_LOOP
