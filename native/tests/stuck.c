/* SPDX-License-Identifier: MIT */
/* Locks that let nobody in: one from the start, one after its first 1000 acquisitions. */
#include <stdatomic.h>

#include "harness/pause.h"
#include "locklab/arch.h"

struct stuck {
    atomic_uint left;
};

static void acquire(struct stuck *lock)
{
    while (atomic_load(&lock->left) == 0)
        locklab_pause();
    atomic_fetch_sub(&lock->left, 1);
}

#define LOCK struct stuck
#define INIT(lock) atomic_init(&(lock)->left, STUCK_AFTER)
#define ACQUIRE(lock, node) acquire(lock)
#define RELEASE(lock, node) ((void)(lock))

#include LOCKLAB_LOOP
