/* SPDX-License-Identifier: MIT */
/*
 * A sequence lock, for you to write. seqlock.h documents the functions.
 *
 * You have C11 atomics. Call functions by their names: no inline assembly, no attributes, no calls
 * through pointers, and ## only behind the fixed beginning of a word (memory_order_##x).
 * Everything but the functions of seqlock.h is static.
 */
#include "seqlock.h"

#include <stdatomic.h>

static _Atomic(uint32_t) sequence;

void seqlock_init(void)
{
    atomic_init(&sequence, 0);
}

uint32_t seqlock_read_begin(void)
{
    return 0; /* wait while the number is odd: locklab_relax() in each iteration */
}

bool seqlock_read_retry(uint32_t number)
{
    (void)number;
    return false;
}

void seqlock_write_begin(unsigned me)
{
    (void)me; /* one writer at a time, and from now on the number is odd */
}

void seqlock_write_end(unsigned me)
{
    (void)me;
}
