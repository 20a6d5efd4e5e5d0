/* SPDX-License-Identifier: MIT */
/*
 * Lockref: a lock and a reference count in one word, so that counting seldom needs the lock.
 *
 * Mechanism. The lowest bit of the word is the lock, the upper half the count. get and put read the
 * word and, while the lock looks free, try to swap in the word with the count changed. The
 * compare-and-swap covers the lock too: it fails if somebody has taken it meanwhile. When the lock
 * is held, or after LOCKLAB_LOCKREF_RETRIES failures, they take the lock and count under it.
 * acquire is test-and-test-and-set on the lowest bit; release is a plain store of the whole word,
 * because while the bit is set nobody but the holder changes the word.
 *
 * Invariants. The count changes by a compare-and-swap that found the lock free, or by the holder:
 * it stands still for whoever holds the lock, and no change is lost. It is 1 for the object's
 * maker, plus the gets, less the puts.
 *
 * Why the orders suffice. get needs none: its caller has a way to the object already. put is a
 * release, and who drops the last reference acquires, so that all that others did with the
 * object comes before what it does then. It acquires by one more load of the word, which meets
 * every earlier put, all of them read-modify-writes; a fence would do as well, but ThreadSanitizer
 * does not know fences. Linux leaves both orders out: there the last reference is dropped under
 * the lock, and memory is freed only after a grace period.
 *
 * What it is not. It is not free of contention: the line still goes from CPU to CPU at each get and
 * put; what is spared is the waiting. It is not fair: who loses the swap has to come again. Linux's
 * lock is the other half of the word and a queued one; here it is one bit, served in no order. The
 * count is not protected against 2^32 references, and there is no mark for a dead object. A
 * machine without 64-bit atomic instructions would put a library's lock round each access.
 *
 * Source: Linux 3.12, lib/lockref.c (Long, Torvalds); the limit on retries is of Linux 5.3.
 */
#ifndef LOCKLAB_LOCKREF_H
#define LOCKLAB_LOCKREF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "locklab/arch.h"

#define LOCKLAB_LOCKREF_RETRIES 100
#define LOCKLAB_LOCKREF_LOCKED UINT64_C(1)
#define LOCKLAB_LOCKREF_ONE (UINT64_C(1) << 32)

struct locklab_lockref {
    _Atomic(uint64_t) word;
};

/* One reference: the maker's. */
static inline void locklab_lockref_init(struct locklab_lockref *ref)
{
    atomic_init(&ref->word, LOCKLAB_LOCKREF_ONE);
}

static inline void locklab_lockref_acquire(struct locklab_lockref *ref)
{
    for (;;) {
        uint64_t word = atomic_load_explicit(&ref->word, memory_order_relaxed);

        if (!(word & LOCKLAB_LOCKREF_LOCKED) &&
            atomic_compare_exchange_strong_explicit(&ref->word, &word,
                                                    word | LOCKLAB_LOCKREF_LOCKED,
                                                    memory_order_acquire, memory_order_relaxed))
            return;
        locklab_pause();
        while (atomic_load_explicit(&ref->word, memory_order_relaxed) & LOCKLAB_LOCKREF_LOCKED)
            locklab_pause();
    }
}

static inline void locklab_lockref_release(struct locklab_lockref *ref)
{
    uint64_t word = atomic_load_explicit(&ref->word, memory_order_relaxed);

    atomic_store_explicit(&ref->word, word & ~LOCKLAB_LOCKREF_LOCKED, memory_order_release);
}

/* Adds to the upper half; returns the new word. `order` is that of the swap. */
static inline uint64_t locklab_lockref_count(struct locklab_lockref *ref, uint64_t change,
                                             memory_order order)
{
    uint64_t word = atomic_load_explicit(&ref->word, memory_order_relaxed);

    for (int i = 0; i < LOCKLAB_LOCKREF_RETRIES && !(word & LOCKLAB_LOCKREF_LOCKED); i++)
        if (atomic_compare_exchange_strong_explicit(&ref->word, &word, word + change, order,
                                                    memory_order_relaxed))
            return word + change;
    locklab_lockref_acquire(ref);
    word = atomic_load_explicit(&ref->word, memory_order_relaxed) + change;
    atomic_store_explicit(&ref->word, word, memory_order_relaxed);
    locklab_lockref_release(ref);
    return word;
}

/* The caller has a reference, or another way to be sure that the object stays. */
static inline void locklab_lockref_get(struct locklab_lockref *ref)
{
    locklab_lockref_count(ref, LOCKLAB_LOCKREF_ONE, memory_order_relaxed);
}

/* Returns how many are left; with 0 the object is the caller's alone. */
static inline uint32_t locklab_lockref_put(struct locklab_lockref *ref)
{
    uint64_t word = locklab_lockref_count(ref, -LOCKLAB_LOCKREF_ONE, memory_order_release);

    if (word >> 32 == 0)
        (void)atomic_load_explicit(&ref->word, memory_order_acquire);
    return (uint32_t)(word >> 32);
}

/* Stands still while the caller holds the lock. */
static inline uint32_t locklab_lockref_references(struct locklab_lockref *ref)
{
    return (uint32_t)(atomic_load_explicit(&ref->word, memory_order_relaxed) >> 32);
}

#endif
