/* SPDX-License-Identifier: MIT */
/* The writer-preference rwlock, joined to the harness with both its sides. */
#include "harness/pause.h"
#include "locklab/rwlock_writer.h"

#define KERNEL rwlock_writer
#define LOCK struct locklab_rwlock_writer
#define INIT(lock) locklab_rwlock_writer_init(lock)
#define ACQUIRE(lock, node) locklab_rwlock_writer_write_acquire(lock)
#define RELEASE(lock, node) locklab_rwlock_writer_write_release(lock)
#define READ_ACQUIRE(lock, node) locklab_rwlock_writer_read_acquire(lock)
#define READ_RELEASE(lock, node) locklab_rwlock_writer_read_release(lock)

#include LOCKLAB_LOOP
