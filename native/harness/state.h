/* SPDX-License-Identifier: MIT */
/*
 * One trial's state: the lock, the data that it guards, and a node for each thread.
 *
 * Included by the loops after the adapter has defined KERNEL, LOCK, INIT, ACQUIRE and RELEASE, and
 * where the lock has them:
 * - NODE, NODE_INIT: a thread's own part.
 * - NODE_JOIN: makes it known to the lock, once; false when there is no room.
 * - READ_ACQUIRE, READ_RELEASE: the read side.
 * - OPTIMISTIC_ACQUIRE, OPTIMISTIC_RELEASE: a second one.
 * - REFERENCES: ACQUIRE and RELEASE only count; the lock is
 * - EXCLUSIVE_ACQUIRE, EXCLUSIVE_RELEASE.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/harness.h"

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

/* An optimistic section is repeated until nobody came by. So the two ends of it open and close a
 * block, as pthread_cleanup_push() and _pop() do: they stand in one block of the loop. */
#define LOCKLAB_OPTIMISTIC(begin)                                                                  \
    for (;;) {                                                                                     \
        uint32_t locklab_number = begin

#define LOCKLAB_UNTIL_NOT(retry, lock)                                                             \
    if (!retry(lock, locklab_number))                                                              \
        break;                                                                                     \
    }                                                                                              \
    (void)0

#ifdef READ_ACQUIRE
#define LOCKLAB_HAS_READ true
#else
#define LOCKLAB_HAS_READ false
#endif

#define LOCKLAB_PASTE(a, b) a##b
#define LOCKLAB_NAME(prefix, kernel) LOCKLAB_PASTE(prefix, kernel)

struct seat {
    _Alignas(LOCKLAB_PAD) NODE node;
};

/* The guarded words are atomics used relaxed, on two lines: a wrong lock is then no undefined
 * behaviour, and the words add no order of their own that could hide a lock's missing one. */
struct state {
    _Alignas(LOCKLAB_PAD) LOCK lock;
    _Alignas(LOCKLAB_PAD) _Atomic(uint64_t) first;
    _Alignas(LOCKLAB_PAD) _Atomic(uint64_t) second;
    _Atomic(uint64_t) inside;
    _Alignas(LOCKLAB_PAD) struct seat seats[];
};

static void *prepare(unsigned threads)
{
    size_t size = sizeof(struct state) + threads * sizeof(struct seat);
    struct state *state = aligned_alloc(LOCKLAB_PAD, size);

    if (state == NULL)
        return NULL;
    memset(state, 0, size);
    INIT(&state->lock);
    for (unsigned i = 0; i < threads; i++) {
        NODE_INIT(&state->seats[i].node);
        if (!NODE_JOIN(&state->lock, &state->seats[i].node)) {
            free(state);
            return NULL;
        }
    }
    return state;
}

static uint64_t updates(const void *arg)
{
    const struct state *state = arg;

    return atomic_load_explicit(&state->first, memory_order_relaxed);
}
