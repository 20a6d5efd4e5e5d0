/* SPDX-License-Identifier: MIT */
/*
 * What the explorer does with a lock: the adapter's loop, as the loops of harness/ are.
 *
 * Each thread goes in ROUNDS times. The exclusive section counts a plain word up, so that an order
 * that is missing shows as a data race, and a lost update as a wrong sum. Readers take turns with
 * writers: thread `me` reads in round r when me + r + ROLES is odd. They look at the plain word if
 * they keep writers out; and at two atomics that writers count up one after the other, which are
 * what an optimistic reader may look at while somebody writes. Counted references are taken and dropped in
 * place of reading, and at the end one is left.
 *
 * The adapter's macros are explained in harness/state.h.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "locklab/explore.h"

#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef ROLES
#define ROLES 0
#endif
#ifndef NODE
#define NODE char
#endif
#ifndef NODE_INIT
#define NODE_INIT(node) ((void)(node))
#endif
#ifndef NODE_JOIN
#define NODE_JOIN(lock, node) true
#endif
#ifndef EXCLUSIVE_ACQUIRE
#define EXCLUSIVE_ACQUIRE(lock, node) ACQUIRE(lock, node)
#define EXCLUSIVE_RELEASE(lock, node) RELEASE(lock, node)
#endif

/* As in harness/state.h, but a reader also learns that it is an optimistic one. */
#define LOCKLAB_OPTIMISTIC(begin)                                                                  \
    do {                                                                                           \
        uint32_t locklab_number = begin;                                                           \
        blocking = false;

#define LOCKLAB_UNTIL_NOT(retry, lock)                                                             \
    (void)0;                                                                                       \
    }                                                                                              \
    while (retry(lock, locklab_number))

#if defined(READ_ACQUIRE) || defined(REFERENCES)
#define LOCKLAB_SHARES
#endif

static LOCK lock;
static NODE nodes[8];
static uint32_t count;
static unsigned entries[8]; /* exclusive ones of each thread */

#ifdef LOCKLAB_SHARES
static _Atomic(uint32_t) first, second;

static uint32_t get(_Atomic(uint32_t) *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static void count_up(_Atomic(uint32_t) *word)
{
    atomic_store_explicit(word, get(word) + 1, memory_order_relaxed);
}
#endif

static void exclusive(int me, NODE *node)
{
    (void)node;
    EXCLUSIVE_ACQUIRE(&lock, node);
    locklab_mark("acquired lock");
    count++;
#ifdef REFERENCES
    {
        uint32_t references = REFERENCES(&lock);

        count_up(&first);
        locklab_assert(references == REFERENCES(&lock));
    }
#elif defined(LOCKLAB_SHARES)
    count_up(&first);
    count_up(&second);
#endif
    entries[me]++;
    EXCLUSIVE_RELEASE(&lock, node);
    locklab_mark("released lock");
}

#ifdef READ_ACQUIRE
static void reads(NODE *node)
{
    uint32_t one, other, plain = 0;
    bool blocking = true;

    (void)node;
    READ_ACQUIRE(&lock, node);
    one = get(&first);
    if (blocking)
        plain = count;
    other = get(&second);
    READ_RELEASE(&lock, node);
    locklab_mark("has read");
    locklab_assert(one == other);
    locklab_assert(!blocking || plain == one);
}

#ifdef OPTIMISTIC_ACQUIRE
static void reads_optimistically(NODE *node)
{
    uint32_t one, other;
    bool blocking;

    (void)node;
    OPTIMISTIC_ACQUIRE(&lock, node);
    one = get(&first);
    other = get(&second);
    OPTIMISTIC_RELEASE(&lock, node);
    locklab_mark("has read");
    locklab_assert(one == other);
    (void)blocking;
}
#endif
#endif

#ifdef LOCKLAB_SHARES
static void shared(int me, NODE *node)
{
    (void)me, (void)node;
#ifdef REFERENCES
    ACQUIRE(&lock, node);
    locklab_assert(REFERENCES(&lock) >= 2);
    RELEASE(&lock, node);
#else
#ifdef OPTIMISTIC_ACQUIRE
    if (me % 3 == 1) {
        reads_optimistically(node);
        return;
    }
#endif
    reads(node);
#endif
}
#endif

void locklab_setup(void)
{
    INIT(&lock);
    for (int i = 0; i < locklab_threads(); i++) {
        NODE_INIT(&nodes[i]);
        locklab_assert(NODE_JOIN(&lock, &nodes[i]));
    }
}

void locklab_thread(int me)
{
    for (int round = 0; round < ROUNDS; round++) {
#ifdef LOCKLAB_SHARES
        if ((me + round + ROLES) % 2 != 0) {
            shared(me, &nodes[me]);
            continue;
        }
#endif
        exclusive(me, &nodes[me]);
    }
}

void locklab_check(void)
{
    unsigned expected = 0;

    for (int i = 0; i < locklab_threads(); i++)
        expected += entries[i];
    locklab_assert(count == expected);
#ifdef REFERENCES
    locklab_assert(REFERENCES(&lock) == 1);
#endif
}
