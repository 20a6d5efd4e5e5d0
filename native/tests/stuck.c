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
    unsigned left = atomic_load(&lock->left);

    while (left == 0 || !atomic_compare_exchange_weak(&lock->left, &left, left - 1)) {
        locklab_pause();
        left = atomic_load(&lock->left);
    }
}

#define LOCK struct stuck
#define INIT(lock) atomic_init(&(lock)->left, STUCK_AFTER)
#define ACQUIRE(lock, node) acquire(lock)
#define RELEASE(lock, node) ((void)(lock))

#include LOCKLAB_LOOP
