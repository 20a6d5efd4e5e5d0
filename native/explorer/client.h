/* SPDX-License-Identifier: MIT */
/*
 * What the explorer does with a lock: the adapter's loop, as the loops of harness/ are.
 *
 * Each thread goes in ROUNDS times. The exclusive section counts a plain word up, so that an order
 * that is missing shows as a data race, and a lost update as a wrong sum. Readers take turns with
 * writers: thread `me` reads in round r when me + r + ROLES is odd. They look at the plain word if
 * they keep writers out; and at two atomics that writers count up one after the other, which are
 * what an optimistic reader may look at while somebody writes. Where there are both kinds of
 * reading, each is tried. Counted references are taken and dropped in place of reading, and at the
 * end one is left.
 *
 * The adapter's macros are explained in harness/adapter.h.
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
/* Both kinds of readers find out which they are. */
#define LOCKLAB_OPTIMIST() (blocking = false)
#include "harness/adapter.h"

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
#define LOOK()                                                                                     \
    do {                                                                                           \
        one = get(&first);                                                                         \
        plain = blocking ? count : one;                                                            \
        other = get(&second);                                                                      \
    } while (0)

static void reads(NODE *node)
{
    uint32_t one, other, plain;
    bool blocking = true;

    (void)node;
#ifdef OPTIMISTIC_ACQUIRE
    if (locklab_any(2) == 1) {
        OPTIMISTIC_ACQUIRE(&lock, node);
        LOOK();
        OPTIMISTIC_RELEASE(&lock, node);
    } else
#endif
    {
        READ_ACQUIRE(&lock, node);
        LOOK();
        READ_RELEASE(&lock, node);
    }
    locklab_mark("has read");
    locklab_assert(one == other);
    locklab_assert(one == plain);
}
#endif

#ifdef LOCKLAB_SHARES
static void shared(NODE *node)
{
    (void)node;
#ifdef REFERENCES
    ACQUIRE(&lock, node);
    locklab_assert(REFERENCES(&lock) >= 2);
    RELEASE(&lock, node);
#else
    reads(node);
#endif
}
#endif

void locklab_setup(void)
{
    INIT_FOR(&lock, locklab_threads());
    for (int i = 0; i < locklab_threads(); i++) {
        NODE_SEAT(&nodes[i], i, locklab_threads());
        locklab_assert(NODE_JOIN(&lock, &nodes[i]));
    }
}

void locklab_thread(int me)
{
    for (int round = 0; round < ROUNDS; round++) {
#ifdef LOCKLAB_SHARES
        if ((me + round + ROLES) % 2 != 0) {
            shared(&nodes[me]);
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
