/* SPDX-License-Identifier: MIT */
/* The reader-preference rwlock, joined to the harness with both its sides. */
#include "harness/pause.h"
#include "locklab/rwlock.h"

#define KERNEL rwlock
#define LOCK struct locklab_rwlock
#define INIT(lock) locklab_rwlock_init(lock)
#define ACQUIRE(lock, node) locklab_rwlock_write_acquire(lock)
#define RELEASE(lock, node) locklab_rwlock_write_release(lock)
#define READ_ACQUIRE(lock, node) locklab_rwlock_read_acquire(lock)
#define READ_RELEASE(lock, node) locklab_rwlock_read_release(lock)

#include LOCKLAB_LOOP
