/* SPDX-License-Identifier: MIT */
/*
 * Queued spinlock: an MCS queue behind one word of four bytes, which also holds the first waiter.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/qspinlock.py.
 *
 * In C. The word has three parts: the locked byte, the pending byte, and in the upper 16 bits the
 * tail of the queue (a thread's number + 1). Below, (tail, pending, locked).
 *
 * Parts of the word. On x86 the locked byte, the lower 16 bits and the tail are also accessed by
 * themselves (LOCKLAB_QSPINLOCK_PARTS): a plain store releases, where the whole word would need an
 * atomic instruction. C11 has no accesses of several sizes to one atomic object; x86 defines them,
 * and gcc and clang leave atomics through a union alone. Elsewhere, under ThreadSanitizer, and
 * where the macro is set to 0, only the whole word is used, as Linux does without such stores. The
 * explorer explores both.
 *
 * The nodes. A thread waits for one lock at a time, so one node a thread serves all locks: they are
 * kept in a table that all threads have joined before, as Linux has them per CPU (four each there,
 * for waits inside interrupts). The node is free again when acquire returns.
 *
 * A newcomer that meets (0,1,0), the moment between release and the pending thread's step, waits
 * for it outside the queue, LOCKLAB_QSPINLOCK_PATIENCE pauses at most, and then joins.
 *
 * Why the orders suffice. Each way in ends with an acquire on the word: the first swap, the swap
 * that sets pending (it may find the lock free by then), the pending thread's and the head's last
 * load. Turning pending into locked may then be relaxed. Joining is acquire and release, as in
 * mcs.h.
 *
 * What it is not. It is not strictly first come, first served: a newcomer may overtake a thread
 * that has not joined yet. Linux's paravirtual lock is left out.
 *
 * Source: Long and Zijlstra, Linux 4.2, kernel/locking/qspinlock.c; the bounded wait is of 4.18
 * (_Q_PENDING_LOOPS: 512 on x86, else 1).
 */
#ifndef LOCKLAB_QSPINLOCK_H
#define LOCKLAB_QSPINLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locklab/arch.h"

#ifndef LOCKLAB_QSPINLOCK_PARTS
#if (defined(__x86_64__) || defined(__i386__)) && !defined(__SANITIZE_THREAD__)
#define LOCKLAB_QSPINLOCK_PARTS 1
#else
#define LOCKLAB_QSPINLOCK_PARTS 0
#endif
#endif

#define LOCKLAB_QSPINLOCK_LOCKED UINT32_C(1)
#define LOCKLAB_QSPINLOCK_PENDING (UINT32_C(1) << 8)
#define LOCKLAB_QSPINLOCK_TAIL (UINT32_C(1) << 16)

/* Threads in one table. The tail could tell 65535 apart. */
#define LOCKLAB_QSPINLOCK_MOST 1024

/* Pauses that a newcomer spends on another thread's pending mark before it joins the queue. */
#ifndef LOCKLAB_QSPINLOCK_PATIENCE
#if LOCKLAB_QSPINLOCK_PARTS
#define LOCKLAB_QSPINLOCK_PATIENCE 512
#else
#define LOCKLAB_QSPINLOCK_PATIENCE 1
#endif
#endif

struct locklab_qspinlock {
    union {
        _Atomic(uint32_t) word;
#if LOCKLAB_QSPINLOCK_PARTS
        _Atomic(uint8_t) locked;
        struct {
            _Atomic(uint16_t) locked_pending;
            _Atomic(uint16_t) tail;
        };
#endif
    };
};

struct locklab_qspinlock_node {
    _Alignas(LOCKLAB_LINE) _Atomic(struct locklab_qspinlock_node *) next;
    _Atomic(uint32_t) head; /* 1: its thread is the head of the queue */
    uint32_t number;        /* in the table */
};

struct locklab_qspinlock_table {
    uint32_t count;
    struct locklab_qspinlock_node *nodes[LOCKLAB_QSPINLOCK_MOST];
};

static inline void locklab_qspinlock_init(struct locklab_qspinlock *lock)
{
    atomic_init(&lock->word, 0);
}

/* Before any lock is used with this table; false when the table is full. */
static inline bool locklab_qspinlock_join(struct locklab_qspinlock_table *table,
                                          struct locklab_qspinlock_node *node)
{
    if (table->count == LOCKLAB_QSPINLOCK_MOST)
        return false;
    atomic_init(&node->next, NULL);
    atomic_init(&node->head, 0);
    node->number = table->count;
    table->nodes[table->count++] = node;
    return true;
}

static inline void locklab_qspinlock_wait_as_pending(struct locklab_qspinlock *lock)
{
    while (atomic_load_explicit(&lock->word, memory_order_acquire) & LOCKLAB_QSPINLOCK_LOCKED)
        locklab_pause();
#if LOCKLAB_QSPINLOCK_PARTS
    atomic_store_explicit(&lock->locked_pending, LOCKLAB_QSPINLOCK_LOCKED, memory_order_relaxed);
#else
    atomic_fetch_sub_explicit(&lock->word, LOCKLAB_QSPINLOCK_PENDING - LOCKLAB_QSPINLOCK_LOCKED,
                              memory_order_relaxed);
#endif
}

/* Makes `tail` the tail; returns the one that was there. Release: the node's first values are in
 * place before another thread can find it. */
static inline uint32_t locklab_qspinlock_swap_tail(struct locklab_qspinlock *lock, uint32_t tail)
{
#if LOCKLAB_QSPINLOCK_PARTS
    return atomic_exchange_explicit(&lock->tail, (uint16_t)tail, memory_order_acq_rel);
#else
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);

    while (!atomic_compare_exchange_weak_explicit(
        &lock->word, &word, word % LOCKLAB_QSPINLOCK_TAIL + tail * LOCKLAB_QSPINLOCK_TAIL,
        memory_order_acq_rel, memory_order_relaxed))
        ;
    return word / LOCKLAB_QSPINLOCK_TAIL;
#endif
}

/* No other thread can set locked now, and no thread is pending. */
static inline void locklab_qspinlock_set_locked(struct locklab_qspinlock *lock)
{
#if LOCKLAB_QSPINLOCK_PARTS
    atomic_store_explicit(&lock->locked, LOCKLAB_QSPINLOCK_LOCKED, memory_order_relaxed);
#else
    atomic_fetch_or_explicit(&lock->word, LOCKLAB_QSPINLOCK_LOCKED, memory_order_relaxed);
#endif
}

static inline void locklab_qspinlock_take_as_head(struct locklab_qspinlock *lock,
                                                  struct locklab_qspinlock_node *node)
{
    uint32_t word, me = (node->number + 1) * LOCKLAB_QSPINLOCK_TAIL;
    struct locklab_qspinlock_node *after;

    while ((word = atomic_load_explicit(&lock->word, memory_order_acquire)) %
           LOCKLAB_QSPINLOCK_TAIL)
        locklab_pause();
    /* Relaxed: the load above was the acquire. */
    if (word == me &&
        atomic_compare_exchange_strong_explicit(&lock->word, &word, LOCKLAB_QSPINLOCK_LOCKED,
                                                memory_order_relaxed, memory_order_relaxed))
        return;
    locklab_qspinlock_set_locked(lock);
    while ((after = atomic_load_explicit(&node->next, memory_order_acquire)) == NULL)
        locklab_pause();
    atomic_store_explicit(&after->head, 1, memory_order_release);
}

static inline void locklab_qspinlock_wait_in_queue(struct locklab_qspinlock *lock,
                                                   struct locklab_qspinlock_table *table,
                                                   struct locklab_qspinlock_node *node)
{
    uint32_t before, word = 0;

    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&node->head, 0, memory_order_relaxed);
    /* The node's line was cold; perhaps the lock is free by now. */
    if (atomic_load_explicit(&lock->word, memory_order_relaxed) == 0 &&
        atomic_compare_exchange_strong_explicit(&lock->word, &word, LOCKLAB_QSPINLOCK_LOCKED,
                                                memory_order_acquire, memory_order_relaxed))
        return;
    before = locklab_qspinlock_swap_tail(lock, node->number + 1);
    if (before != 0) {
        atomic_store_explicit(&table->nodes[before - 1]->next, node, memory_order_release);
        while (atomic_load_explicit(&node->head, memory_order_acquire) == 0)
            locklab_pause();
    }
    locklab_qspinlock_take_as_head(lock, node);
}

/* `node` is the calling thread's, and has joined the table. */
static inline void locklab_qspinlock_acquire(struct locklab_qspinlock *lock,
                                             struct locklab_qspinlock_table *table,
                                             struct locklab_qspinlock_node *node)
{
    uint32_t word = 0;

    if (atomic_compare_exchange_strong_explicit(&lock->word, &word, LOCKLAB_QSPINLOCK_LOCKED,
                                                memory_order_acquire, memory_order_relaxed))
        return;
    locklab_pause();
    /* It is just being handed over: (0,1,0) is about to become (0,0,1). */
    for (int i = 0; word == LOCKLAB_QSPINLOCK_PENDING && i < LOCKLAB_QSPINLOCK_PATIENCE; i++) {
        locklab_pause();
        word = atomic_load_explicit(&lock->word, memory_order_relaxed);
    }
    while (word == 0 || word == LOCKLAB_QSPINLOCK_LOCKED) {
        uint32_t claimed = LOCKLAB_QSPINLOCK_LOCKED | (word ? LOCKLAB_QSPINLOCK_PENDING : 0);

        if (atomic_compare_exchange_strong_explicit(&lock->word, &word, claimed,
                                                    memory_order_acquire, memory_order_relaxed)) {
            if (claimed != LOCKLAB_QSPINLOCK_LOCKED)
                locklab_qspinlock_wait_as_pending(lock);
            return;
        }
    }
    locklab_qspinlock_wait_in_queue(lock, table, node);
}

static inline void locklab_qspinlock_release(struct locklab_qspinlock *lock)
{
#if LOCKLAB_QSPINLOCK_PARTS
    atomic_store_explicit(&lock->locked, 0, memory_order_release);
#else
    atomic_fetch_sub_explicit(&lock->word, LOCKLAB_QSPINLOCK_LOCKED, memory_order_release);
#endif
}

#endif
