/* SPDX-License-Identifier: MIT */
/* The queued rwlock, joined to the harness with both its sides. */
#include "harness/pause.h"
#include "locklab/qrwlock.h"

#define KERNEL qrwlock
#define LOCK struct locklab_qrwlock
#define INIT(lock) locklab_qrwlock_init(lock)
#define ACQUIRE(lock, node) locklab_qrwlock_write_acquire(lock)
#define RELEASE(lock, node) locklab_qrwlock_write_release(lock)
#define READ_ACQUIRE(lock, node) locklab_qrwlock_read_acquire(lock)
#define READ_RELEASE(lock, node) locklab_qrwlock_read_release(lock)

#include LOCKLAB_LOOP
