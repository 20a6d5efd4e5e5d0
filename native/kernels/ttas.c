/* SPDX-License-Identifier: MIT */
/* The test-and-test-and-set lock, joined to the harness. */
#include "harness/pause.h"
#include "locklab/ttas.h"

#define KERNEL ttas
#define LOCK struct locklab_ttas
#define INIT(lock) locklab_ttas_init(lock)
#define ACQUIRE(lock, node) locklab_ttas_acquire(lock)
#define RELEASE(lock, node) locklab_ttas_release(lock)

#include LOCKLAB_LOOP
