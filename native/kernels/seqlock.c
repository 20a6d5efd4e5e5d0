/* SPDX-License-Identifier: MIT */
/* The sequence lock, joined to the harness; its read side is the optimistic one. */
#include "harness/pause.h"
#include "locklab/seqlock.h"

#define KERNEL seqlock
#define LOCK struct locklab_seqlock
#define INIT(lock) locklab_seqlock_init(lock)
#define ACQUIRE(lock, node) locklab_seqlock_write_acquire(lock)
#define RELEASE(lock, node) locklab_seqlock_write_release(lock)
#define READ_ACQUIRE(lock, node) LOCKLAB_OPTIMISTIC(locklab_seqlock_read_begin(lock))
#define READ_RELEASE(lock, node) LOCKLAB_UNTIL_NOT(locklab_seqlock_read_retry, lock)

#include LOCKLAB_LOOP
