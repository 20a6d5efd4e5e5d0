/* SPDX-License-Identifier: MIT */
/*
 * MCS lock: a queue of waiters, each spinning on a word of its own.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/mcs.py.
 *
 * In C. The node belongs to the caller: from acquire to release it must stay where it is and serve
 * no other acquisition. After release it is free at once, and still the same node.
 *
 * Why the orders suffice. The successor's load of `locked` acquires what release published. The
 * comments below explain the others.
 *
 * What it is not. It is not preemption-safe: a waiter that does not run stops all behind it.
 * release is not a single store, so an uncontended pair costs two locked instructions.
 *
 * Source: Mellor-Crummey and Scott, ACM TOCS 9(1), 1991, algorithm 5.
 */
#ifndef LOCKLAB_MCS_H
#define LOCKLAB_MCS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "locklab/arch.h"

struct locklab_mcs_node {
    _Alignas(LOCKLAB_LINE) _Atomic(struct locklab_mcs_node *) next;
    _Atomic(uint32_t) locked;
};

struct locklab_mcs {
    _Atomic(struct locklab_mcs_node *) tail;
};

static inline void locklab_mcs_init(struct locklab_mcs *lock)
{
    atomic_init(&lock->tail, NULL);
}

static inline void locklab_mcs_acquire(struct locklab_mcs *lock, struct locklab_mcs_node *node)
{
    struct locklab_mcs_node *before;

    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    /* Release: the NULL above is in place before a successor can find the node. */
    before = atomic_exchange_explicit(&lock->tail, node, memory_order_acq_rel);
    if (before == NULL)
        return;
    atomic_store_explicit(&node->locked, 1, memory_order_relaxed);
    atomic_store_explicit(&before->next, node, memory_order_release);
    while (atomic_load_explicit(&node->locked, memory_order_acquire) != 0)
        locklab_pause();
}

static inline void locklab_mcs_release(struct locklab_mcs *lock, struct locklab_mcs_node *node)
{
    /* Acquire: the successor's own `locked = 1` comes before our 0. */
    struct locklab_mcs_node *after = atomic_load_explicit(&node->next, memory_order_acquire);

    if (after == NULL) {
        struct locklab_mcs_node *last = node;

        if (atomic_compare_exchange_strong_explicit(&lock->tail, &last, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        while ((after = atomic_load_explicit(&node->next, memory_order_acquire)) == NULL)
            locklab_pause();
    }
    atomic_store_explicit(&after->locked, 0, memory_order_release);
}

#endif
