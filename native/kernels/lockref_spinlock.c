/* SPDX-License-Identifier: MIT */
/* The count under a spinlock, joined to the harness: a pair is a get and a put. */
#include "harness/pause.h"
#include "locklab/lockref_spinlock.h"

#define KERNEL lockref_spinlock
#define LOCK struct locklab_lockref_spinlock
#define INIT(ref) locklab_lockref_spinlock_init(ref)
#define ACQUIRE(ref, node) locklab_lockref_spinlock_get(ref)
#define RELEASE(ref, node) locklab_lockref_spinlock_put(ref)
#define EXCLUSIVE_ACQUIRE(ref, node) locklab_lockref_spinlock_acquire(ref)
#define EXCLUSIVE_RELEASE(ref, node) locklab_lockref_spinlock_release(ref)
#define REFERENCES(ref) locklab_lockref_spinlock_references(ref)

#include LOCKLAB_LOOP
