/* SPDX-License-Identifier: MIT */
/*
 * The access vector cache under a reader-writer lock: the first fix of 2004.
 *
 * Cost. Checks no longer exclude each other, yet each one writes the lock's line twice: the rate
 * of the whole machine is fixed by that one line, on any number of CPUs.
 *
 * Source: KaiGai Kohei's rwlock patch of August 2004, measured in the thread that kaigai-2004 is
 * part of.
 */
#ifndef LOCKLAB_AVC_RWLOCK_H
#define LOCKLAB_AVC_RWLOCK_H

#include "locklab/rwlock.h"

#define LOCKLAB_AVC_LOCK struct locklab_rwlock
#define LOCKLAB_AVC_LOCK_INIT(lock) locklab_rwlock_init(lock)
#define LOCKLAB_AVC_READ_ACQUIRE(lock) locklab_rwlock_read_acquire(lock)
#define LOCKLAB_AVC_READ_RELEASE(lock) locklab_rwlock_read_release(lock)
#define LOCKLAB_AVC_WRITE_ACQUIRE(lock) locklab_rwlock_write_acquire(lock)
#define LOCKLAB_AVC_WRITE_RELEASE(lock) locklab_rwlock_write_release(lock)

#include "locklab/structures/avc_pool.h"

#endif
