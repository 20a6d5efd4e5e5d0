/* SPDX-License-Identifier: MIT */
/* The rwlock of one futex, joined to the harness with both its sides. */
#include "harness/pause.h"
#include "locklab/futex_rwlock.h"

#define KERNEL futex_rwlock
#define LOCK struct locklab_futex_rwlock
#define INIT(lock) locklab_futex_rwlock_init(lock)
#define ACQUIRE(lock, node) locklab_futex_rwlock_write_acquire(lock)
#define RELEASE(lock, node) locklab_futex_rwlock_write_release(lock)
#define READ_ACQUIRE(lock, node) locklab_futex_rwlock_read_acquire(lock)
#define READ_RELEASE(lock, node) locklab_futex_rwlock_read_release(lock)

#include LOCKLAB_LOOP
