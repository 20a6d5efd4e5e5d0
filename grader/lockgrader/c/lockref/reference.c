/* SPDX-License-Identifier: MIT */
/* A count behind a spinlock: right, and without lockref's idea. */
#include "lockref.h"

#include <stdatomic.h>

static atomic_bool locked;
static int32_t references;

void lockref_init(void)
{
    atomic_init(&locked, false);
    references = 1;
}

void lockref_lock(void)
{
    while (atomic_exchange_explicit(&locked, true, memory_order_acquire))
        locklab_relax();
}

void lockref_unlock(void)
{
    atomic_store_explicit(&locked, false, memory_order_release);
}

int32_t lockref_count(void)
{
    return references;
}

void lockref_get(void)
{
    lockref_lock();
    references++;
    lockref_unlock();
}

uint32_t lockref_put(void)
{
    uint32_t left;

    lockref_lock();
    left = (uint32_t)--references;
    lockref_unlock();
    return left;
}

bool lockref_get_not_zero(void)
{
    bool alive;

    lockref_lock();
    alive = references > 0;
    references += alive;
    lockref_unlock();
    return alive;
}

bool lockref_put_or_lock(void)
{
    lockref_lock();
    if (references <= 1)
        return false;
    references--;
    lockref_unlock();
    return true;
}

void lockref_mark_dead(void)
{
    references = -128;
}
