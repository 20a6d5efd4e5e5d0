/* SPDX-License-Identifier: MIT */
/* The big-reader lock, joined to the harness; a thread's node is its place. */
#include "harness/pause.h"
#include "locklab/brlock.h"

#define KERNEL brlock
#define LOCK struct locklab_brlock
#define NODE struct locklab_brlock_place
#define INIT(lock) locklab_brlock_init(lock)
#define NODE_JOIN(lock, place) (locklab_brlock_join(lock, place), true)
#define ACQUIRE(lock, place) locklab_brlock_write_acquire(lock)
#define RELEASE(lock, place) locklab_brlock_write_release(lock)
#define READ_ACQUIRE(lock, place) locklab_brlock_read_acquire(place)
#define READ_RELEASE(lock, place) locklab_brlock_read_release(place)

#include LOCKLAB_LOOP
