/* SPDX-License-Identifier: MIT */
/* The lockref, joined to the harness: a pair is a get and a put. */
#include "harness/pause.h"
#include "locklab/lockref.h"

#define KERNEL lockref
#define LOCK struct locklab_lockref
#define INIT(ref) locklab_lockref_init(ref)
#define ACQUIRE(ref, node) locklab_lockref_get(ref)
#define RELEASE(ref, node) locklab_lockref_put(ref)
#define EXCLUSIVE_ACQUIRE(ref, node) locklab_lockref_acquire(ref)
#define EXCLUSIVE_RELEASE(ref, node) locklab_lockref_release(ref)
#define REFERENCES(ref) locklab_lockref_references(ref)

#include LOCKLAB_LOOP
