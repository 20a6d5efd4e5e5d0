/* SPDX-License-Identifier: MIT */
/*
 * A sequence lock. The number is odd while a writer is inside; writers exclude one another by making
 * it odd in one step. Readers look at it before and after, and write nothing.
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
    uint32_t number;

    while ((number = atomic_load_explicit(&sequence, memory_order_acquire)) & 1)
        locklab_relax();
    return number;
}

bool seqlock_read_retry(uint32_t number)
{
    /* The loads of the data stay before the second look. */
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&sequence, memory_order_relaxed) != number;
}

void seqlock_write_begin(unsigned me)
{
    uint32_t number;

    (void)me;
    do {
        while ((number = atomic_load_explicit(&sequence, memory_order_relaxed)) & 1)
            locklab_relax();
    } while (!atomic_compare_exchange_strong_explicit(&sequence, &number, number + 1,
                                                      memory_order_acquire, memory_order_relaxed));
    /* The stores of the data stay behind the odd number. */
    atomic_thread_fence(memory_order_release);
}

void seqlock_write_end(unsigned me)
{
    uint32_t number = atomic_load_explicit(&sequence, memory_order_relaxed);

    (void)me;
    atomic_store_explicit(&sequence, number + 1, memory_order_release);
}
