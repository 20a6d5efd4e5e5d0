/* SPDX-License-Identifier: MIT */
/*
 * Defaults for the parts that an adapter may leave out.
 *
 * Included by the loops after the adapter has defined KERNEL, LOCK, INIT, ACQUIRE and RELEASE, and
 * where the lock has them:
 * - NODE, NODE_INIT: the part of the lock that each thread has.
 * - INIT_FOR, NODE_SEAT in place of INIT and NODE_INIT: where the number of threads matters, and
 *   which of them a node is for.
 * - NODE_JOIN: registers the node with the lock, once; false when there is no room.
 * - READ_ACQUIRE, READ_RELEASE: the read side.
 * - OPTIMISTIC_ACQUIRE, OPTIMISTIC_RELEASE: a second, optimistic read side.
 * - REFERENCES: the number of references, where ACQUIRE and RELEASE only count them. The lock is
 *   then EXCLUSIVE_ACQUIRE and EXCLUSIVE_RELEASE.
 */
#ifndef LOCKLAB_HARNESS_ADAPTER_H
#define LOCKLAB_HARNESS_ADAPTER_H

#include <stdbool.h>
#include <stdint.h>

#ifndef NODE
#define NODE char
#endif
#ifndef NODE_INIT
#define NODE_INIT(node) ((void)(node))
#endif
#ifndef NODE_SEAT
#define NODE_SEAT(node, seat, threads) NODE_INIT(node)
#endif
#ifndef INIT_FOR
#define INIT_FOR(lock, threads) INIT(lock)
#endif
#ifndef NODE_JOIN
#define NODE_JOIN(lock, node) true
#endif
#ifndef EXCLUSIVE_ACQUIRE
#define EXCLUSIVE_ACQUIRE(lock, node) ACQUIRE(lock, node)
#define EXCLUSIVE_RELEASE(lock, node) RELEASE(lock, node)
#endif

/* An optimistic section is repeated until no writer disturbed it. So its two ends open and close a
 * block, as pthread_cleanup_push() and _pop() do, and must be in one block of the loop. */
#ifndef LOCKLAB_OPTIMIST
#define LOCKLAB_OPTIMIST()                                                                         \
    (void)0 /* a loop may define this to learn that it reads optimistically */
#endif
#define LOCKLAB_OPTIMISTIC(begin)                                                                  \
    for (;;) {                                                                                     \
        uint64_t locklab_number = begin;                                                           \
        LOCKLAB_OPTIMIST()

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

#endif
