/* SPDX-License-Identifier: MIT */
/* The futex mutex, joined to the harness. */
#include "harness/pause.h"
#include "locklab/futex.h"

#define KERNEL futex
#define LOCK struct locklab_futex
#define INIT(lock) locklab_futex_init(lock)
#define ACQUIRE(lock, node) locklab_futex_acquire(lock)
#define RELEASE(lock, node) locklab_futex_release(lock)

#include LOCKLAB_LOOP
