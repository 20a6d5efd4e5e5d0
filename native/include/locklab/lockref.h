/* SPDX-License-Identifier: MIT */
/*
 * Lockref: a lock and a reference count in one word, so that counting seldom needs the lock.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/lockref.py.
 *
 * In C. A count gives up after LOCKLAB_LOCKREF_RETRIES lost swaps and takes the lock. get_not_zero
 * and put_or_lock work likewise, but leave a count alone that is 0, or 1. mark_dead makes the count
 * negative; it stays negative once the object is dead. The count is not protected against 2^31
 * references. A machine without 64-bit atomic instructions would put a library's lock round each
 * access.
 *
 * Why the orders suffice. get needs none: its caller has a way to the object already. put is a
 * release, and the thread that drops the last reference acquires, so that all that others did with
 * the object comes before what it does then. It acquires by one more load of the word. That meets
 * every earlier put: one without the lock is a read-modify-write, and so continues the release
 * sequences before it; one under the lock ends in a plain store, but has acquired the word before,
 * by the swap that took the lock, and its store is a release. A fence would do as well, but
 * ThreadSanitizer does not know fences. put_or_lock acquires by taking the lock. Linux leaves both
 * orders out: there the last reference is dropped under the lock, and memory is freed only after a
 * grace period.
 *
 * What it is not. It is not free of contention: the line still goes from CPU to CPU at each get and
 * put; only the waiting is saved. It is not fair: a thread that loses the swap has to try again.
 * Linux's lock is the other half of the word and a queued one; here it is one bit, served in no
 * order.
 *
 * Source: Linux 3.12, lib/lockref.c (Long, Torvalds); the limit on retries is of Linux 5.3, the
 * value for a dead object that of lockref_mark_dead there.
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
#define LOCKLAB_LOCKREF_DEAD (-128)

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

/* The count in a word; negative: the object is dead. */
static inline int32_t locklab_lockref_count_of(uint64_t word)
{
    return (int32_t)(word >> 32);
}

/* Without the lock: adds to the upper half of a word whose count is above `floor`, and gives the new
 * word. False: it is not, or the lock is held, or others were quicker too often. */
static inline bool locklab_lockref_swap(struct locklab_lockref *ref, int64_t floor, uint64_t change,
                                        memory_order order, uint64_t *changed)
{
    uint64_t word = atomic_load_explicit(&ref->word, memory_order_relaxed);

    for (int i = 0; i < LOCKLAB_LOCKREF_RETRIES && !(word & LOCKLAB_LOCKREF_LOCKED); i++) {
        if (locklab_lockref_count_of(word) <= floor)
            return false;
        *changed = word + change;
        if (atomic_compare_exchange_strong_explicit(&ref->word, &word, *changed, order,
                                                    memory_order_relaxed))
            return true;
    }
    return false;
}

/* With the lock: the same, whatever the count; releases the lock. */
static inline uint64_t locklab_lockref_change(struct locklab_lockref *ref, uint64_t change)
{
    uint64_t word = atomic_load_explicit(&ref->word, memory_order_relaxed) + change;

    atomic_store_explicit(&ref->word, word, memory_order_relaxed);
    locklab_lockref_release(ref);
    return word;
}

/* Adds to the upper half; returns the new word. `order` is that of the swap. */
static inline uint64_t locklab_lockref_count(struct locklab_lockref *ref, uint64_t change,
                                             memory_order order)
{
    uint64_t word;

    if (locklab_lockref_swap(ref, INT64_MIN, change, order, &word))
        return word;
    locklab_lockref_acquire(ref);
    return locklab_lockref_change(ref, change);
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

/* For a caller that has no reference, and found the object without one (under RCU). False: the count
 * is 0, or the object is dead; the caller has no reference. */
static inline bool locklab_lockref_get_not_zero(struct locklab_lockref *ref)
{
    uint64_t word;

    if (locklab_lockref_swap(ref, 0, LOCKLAB_LOCKREF_ONE, memory_order_relaxed, &word))
        return true;
    locklab_lockref_acquire(ref);
    word = atomic_load_explicit(&ref->word, memory_order_relaxed);
    if (locklab_lockref_count_of(word) <= 0) {
        locklab_lockref_release(ref);
        return false;
    }
    locklab_lockref_change(ref, LOCKLAB_LOCKREF_ONE);
    return true;
}

/* Puts a reference that is not the last. False: it is (or the object is dead); the caller keeps it,
 * and holds the lock. */
static inline bool locklab_lockref_put_or_lock(struct locklab_lockref *ref)
{
    uint64_t word;

    if (locklab_lockref_swap(ref, 1, -LOCKLAB_LOCKREF_ONE, memory_order_release, &word))
        return true;
    locklab_lockref_acquire(ref);
    word = atomic_load_explicit(&ref->word, memory_order_relaxed);
    if (locklab_lockref_count_of(word) <= 1)
        return false;
    locklab_lockref_change(ref, -LOCKLAB_LOCKREF_ONE);
    return true;
}

/* The caller holds the lock. From now on no thread gets a reference by get_not_zero. */
static inline void locklab_lockref_mark_dead(struct locklab_lockref *ref)
{
    uint64_t count = (uint32_t)LOCKLAB_LOCKREF_DEAD;

    atomic_store_explicit(&ref->word, count << 32 | LOCKLAB_LOCKREF_LOCKED, memory_order_relaxed);
}

/* Stands still while the caller holds the lock. */
static inline uint32_t locklab_lockref_references(struct locklab_lockref *ref)
{
    return (uint32_t)(atomic_load_explicit(&ref->word, memory_order_relaxed) >> 32);
}

#endif
