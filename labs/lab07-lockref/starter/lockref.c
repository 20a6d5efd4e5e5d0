/* SPDX-License-Identifier: MIT */
/*
 * Lock and count in one 64-bit word, for you to write. lockref.h documents the functions.
 *
 * You have C11 atomics. Call functions by their names: no inline assembly, no attributes, no calls
 * through pointers, and ## only behind the fixed beginning of a word (memory_order_##x).
 * Everything but the functions of lockref.h is static.
 */
#include "lockref.h"

#include <stdatomic.h>

#define LOCKED UINT64_C(1)
#define ONE (UINT64_C(1) << 32)

static _Atomic(uint64_t) word;

void lockref_init(void)
{
    atomic_init(&word, ONE);
}

void lockref_lock(void)
{
    /* In each iteration of a loop that waits: locklab_relax(); */
}

void lockref_unlock(void)
{
}

int32_t lockref_count(void)
{
    return (int32_t)(atomic_load_explicit(&word, memory_order_relaxed) >> 32);
}

void lockref_get(void)
{
}

uint32_t lockref_put(void)
{
    return 0; /* how many are left */
}

bool lockref_get_not_zero(void)
{
    return false;
}

bool lockref_put_or_lock(void)
{
    return true;
}

void lockref_mark_dead(void)
{
}
