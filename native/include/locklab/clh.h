/* SPDX-License-Identifier: MIT */
/*
 * CLH lock: a queue without links, each waiter spinning on its predecessor's node.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/clh.py.
 *
 * In C. Each thread brings a node, and nodes change hands at every release. So the memory of a node
 * must live as long as the lock and all its threads, whichever thread brought it. Before a new
 * trial *everything* is set up anew, the lock and every thread. Otherwise two threads come to
 * share a node.
 *
 * Why the orders suffice. The swap releases the thread's own mark and acquires the predecessor's
 * node; the load that waits acquires what the predecessor's releasing store published.
 *
 * What it is not. It is not local on a machine without coherent caches: the word that it spins on
 * belongs to another thread. Like every queue it suffers from waiters that do not run.
 *
 * Source: Craig, University of Washington TR 93-02-02, 1993; Magnusson, Landin and Hagersten,
 * IPPS 1994.
 */
#ifndef LOCKLAB_CLH_H
#define LOCKLAB_CLH_H

#include <stdatomic.h>
#include <stdint.h>

#include "locklab/arch.h"

struct locklab_clh_node {
    _Alignas(LOCKLAB_LINE) _Atomic(uint32_t) locked;
};

struct locklab_clh {
    _Atomic(struct locklab_clh_node *) tail;
};

/* A thread's own part: the node that it will bring next, and its predecessor's. */
struct locklab_clh_thread {
    struct locklab_clh_node *mine;
    struct locklab_clh_node *before;
};

/* `spare` is the first node in tail; it becomes some thread's in the end. */
static inline void locklab_clh_init(struct locklab_clh *lock, struct locklab_clh_node *spare)
{
    atomic_init(&spare->locked, 0);
    atomic_init(&lock->tail, spare);
}

static inline void locklab_clh_thread_init(struct locklab_clh_thread *thread,
                                           struct locklab_clh_node *node)
{
    atomic_init(&node->locked, 0);
    thread->mine = node;
    thread->before = node;
}

static inline void locklab_clh_acquire(struct locklab_clh *lock, struct locklab_clh_thread *thread)
{
    atomic_store_explicit(&thread->mine->locked, 1, memory_order_relaxed);
    /* Release publishes the 1 above; acquire makes the predecessor's node readable. */
    thread->before = atomic_exchange_explicit(&lock->tail, thread->mine, memory_order_acq_rel);
    while (atomic_load_explicit(&thread->before->locked, memory_order_acquire) != 0)
        locklab_pause();
}

static inline void locklab_clh_release(struct locklab_clh *lock, struct locklab_clh_thread *thread)
{
    struct locklab_clh_node *node = thread->mine;

    (void)lock; /* the queue is in the nodes */
    thread->mine = thread->before;
    atomic_store_explicit(&node->locked, 0, memory_order_release);
}

#endif
