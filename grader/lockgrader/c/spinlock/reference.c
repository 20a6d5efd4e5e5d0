/* SPDX-License-Identifier: MIT */
/* A test-and-set lock: right, and simple. */
#include "spinlock.h"

#include <stdatomic.h>

static atomic_bool taken;

void spinlock_init(void)
{
    atomic_init(&taken, false);
}

void spinlock_acquire(unsigned me)
{
    (void)me;
    while (atomic_exchange_explicit(&taken, true, memory_order_acquire))
        locklab_relax();
}

void spinlock_release(unsigned me)
{
    (void)me;
    atomic_store_explicit(&taken, false, memory_order_release);
}
