/* SPDX-License-Identifier: MIT */
/* TTAS with back-off, joined to the harness. */
#include "harness/pause.h"
#include "locklab/ttas_backoff.h"

#define KERNEL ttas_backoff
#define LOCK struct locklab_ttas_backoff
#define INIT(lock) locklab_ttas_backoff_init(lock)
#define ACQUIRE(lock, node) locklab_ttas_backoff_acquire(lock)
#define RELEASE(lock, node) locklab_ttas_backoff_release(lock)

#include LOCKLAB_LOOP
