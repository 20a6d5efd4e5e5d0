/* SPDX-License-Identifier: MIT */
/* The test-and-set lock, joined to the harness. */
#include "harness/pause.h"
#include "locklab/tas.h"

#define KERNEL tas
#define LOCK struct locklab_tas
#define INIT(lock) locklab_tas_init(lock)
#define ACQUIRE(lock, node) locklab_tas_acquire(lock)
#define RELEASE(lock, node) locklab_tas_release(lock)

#include LOCKLAB_LOOP
