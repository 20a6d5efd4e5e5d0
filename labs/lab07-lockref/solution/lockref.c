/* SPDX-License-Identifier: MIT */
/*
 * Lock and count in one 64-bit word. Bit 0 is the lock, the upper half is the count, negative when
 * the object is dead. A count changes by a compare-and-swap that found the lock free, so it stands
 * still while a thread holds the lock.
 */
#include "lockref.h"

#include <stdatomic.h>

#define LOCKED UINT64_C(1)
#define ONE (UINT64_C(1) << 32)
#define DEAD (UINT64_C(1) << 63)

static _Atomic(uint64_t) word;

static int32_t references(uint64_t value)
{
    return (int32_t)(value >> 32);
}

/* The word when the lock was free. */
static uint64_t unlocked(void)
{
    uint64_t value;

    while ((value = atomic_load_explicit(&word, memory_order_relaxed)) & LOCKED)
        locklab_relax();
    return value;
}

void lockref_init(void)
{
    atomic_init(&word, ONE);
}

void lockref_lock(void)
{
    uint64_t value;

    do
        value = unlocked();
    while (!atomic_compare_exchange_strong_explicit(&word, &value, value | LOCKED,
                                                    memory_order_acquire, memory_order_relaxed));
}

void lockref_unlock(void)
{
    uint64_t value = atomic_load_explicit(&word, memory_order_relaxed);

    atomic_store_explicit(&word, value & ~LOCKED, memory_order_release);
}

int32_t lockref_count(void)
{
    return references(atomic_load_explicit(&word, memory_order_relaxed));
}

void lockref_get(void)
{
    uint64_t value;

    do
        value = unlocked();
    while (!atomic_compare_exchange_strong_explicit(&word, &value, value + ONE,
                                                    memory_order_relaxed, memory_order_relaxed));
}

uint32_t lockref_put(void)
{
    uint64_t value;

    /* Release: what this thread did with the object. Acquire: what the others did, for the last. */
    do
        value = unlocked();
    while (!atomic_compare_exchange_strong_explicit(&word, &value, value - ONE,
                                                    memory_order_acq_rel, memory_order_relaxed));
    return (uint32_t)references(value - ONE);
}

bool lockref_get_not_zero(void)
{
    uint64_t value;

    do {
        value = unlocked();
        if (references(value) <= 0)
            return false;
    } while (!atomic_compare_exchange_strong_explicit(&word, &value, value + ONE,
                                                      memory_order_acquire, memory_order_relaxed));
    return true;
}

bool lockref_put_or_lock(void)
{
    uint64_t value;
    bool last;

    do {
        value = unlocked();
        last = references(value) <= 1;
    } while (!atomic_compare_exchange_strong_explicit(&word, &value,
                                                      last ? value | LOCKED : value - ONE,
                                                      memory_order_acq_rel, memory_order_relaxed));
    return !last;
}

void lockref_mark_dead(void)
{
    uint64_t value = atomic_load_explicit(&word, memory_order_relaxed);

    atomic_store_explicit(&word, value | DEAD, memory_order_relaxed);
}
