/* SPDX-License-Identifier: MIT */
/*
 * Queue lock with local spinning (Mellor-Crummey and Scott, ACM TOCS 9(1), 1991).
 *
 * Made from mcs.py by LockLab; change that, not this.
 */
#ifndef MCS_LOCK_EMITTED_H
#define MCS_LOCK_EMITTED_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "locklab/language.h"

struct q_node {
    _Atomic(struct q_node *) next;
    _Atomic(int64_t) locked;
};

struct mcs_lock {
    _Atomic(struct q_node *) tail;
    struct { _Alignas(LOCKLAB_LINE) struct q_node own; } nodes[LOCKLAB_CPUS];
};

LOCKLAB_COMPARE_SWAP(q_node_compare_swap, struct q_node *);

static inline void mcs_lock_acquire(struct mcs_lock *self, struct locklab_thread *thread)
{
    struct q_node *node = &self->nodes[thread->cpu].own;                       /* mcs.py:47 */
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);            /* mcs.py:48 */
    /* Release: the NULL above is in place before a successor can find the node. */
    struct q_node *before = atomic_exchange_explicit(&self->tail, node,        /* mcs.py:50 */
            memory_order_acq_rel);
    if (before != NULL) {                                                      /* mcs.py:51 */
        atomic_store_explicit(&node->locked, 1, memory_order_relaxed);         /* mcs.py:52 */
        atomic_store_explicit(&before->next, node, memory_order_release);      /* mcs.py:53 */
        while (atomic_load_explicit(&node->locked, memory_order_acquire) != 0) /* mcs.py:54 */
            locklab_pause();                                                   /* mcs.py:55 */
    }
}

static inline int64_t mcs_lock_try_acquire(struct mcs_lock *self, struct locklab_thread *thread)
{
    struct q_node *node = &self->nodes[thread->cpu].own;                       /* mcs.py:58 */
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);            /* mcs.py:59 */
    struct q_node *before = q_node_compare_swap(&self->tail, NULL, node,       /* mcs.py:60 */
            memory_order_acq_rel);
    return before == NULL;                                                     /* mcs.py:61 */
}

static inline void mcs_lock_release(struct mcs_lock *self, struct locklab_thread *thread)
{
    struct q_node *node = &self->nodes[thread->cpu].own;                       /* mcs.py:64 */
    /* Acquire: the successor's own "locked = 1" comes before our 0. */
    struct q_node *after = atomic_load_explicit(&node->next,                   /* mcs.py:66 */
            memory_order_acquire);
    if (after == NULL) {                                                       /* mcs.py:67 */
        if (q_node_compare_swap(&self->tail, node, NULL,                       /* mcs.py:68 */
                memory_order_release) == node)
            return;
        after = atomic_load_explicit(&node->next, memory_order_acquire);       /* mcs.py:70 */
        while (after == NULL) {                                                /* mcs.py:71 */
            locklab_pause();                                                   /* mcs.py:72 */
            after = atomic_load_explicit(&node->next, memory_order_acquire);   /* mcs.py:73 */
        }
    }
    atomic_store_explicit(&after->locked, 0, memory_order_release);            /* mcs.py:74 */
}

static inline void q_node_init(struct q_node *self)
{
    atomic_init(&self->next, NULL);
    atomic_init(&self->locked, 0);
}

static inline void mcs_lock_init(struct mcs_lock *self, struct locklab_thread *thread)
{
    atomic_init(&self->tail, NULL);
    for (int64_t i = 0; i < thread->n_cpus; i += 1)
        q_node_init(&self->nodes[i].own);
}

#endif
