/* SPDX-License-Identifier: MIT */
/*
 * Big-reader lock: a reader-writer lock for each thread; readers take one, writers take all.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/brlock.py.
 *
 * In C. Each thread that may read or write joins once, before the lock is used, with a place of its
 * own. No thread joins or leaves while the lock is in use. A writer takes the places in the order
 * in which they are linked; Linux and the .py have a lock for each CPU.
 *
 * Why the orders suffice. A reader and a writer meet on the reader's place, two writers on the
 * first; each is an rwlock.h.
 *
 * What it is not. It is not cheap to read compared with seqlock.h or RCU: two atomic instructions,
 * though on a line that no other thread wants.
 *
 * Source: Linux 2.4, include/linux/brlock.h and lib/brlock.c (a lock for each CPU); with places
 * that are linked by their threads, as Concurrency Kit's ck_brlock.h has them.
 */
#ifndef LOCKLAB_BRLOCK_H
#define LOCKLAB_BRLOCK_H

#include <stddef.h>

#include "locklab/arch.h"
#include "locklab/rwlock.h"

struct locklab_brlock_place {
    _Alignas(LOCKLAB_LINE) struct locklab_rwlock lock;
    struct locklab_brlock_place *next;
};

struct locklab_brlock {
    struct locklab_brlock_place *first;
};

static inline void locklab_brlock_init(struct locklab_brlock *lock)
{
    lock->first = NULL;
}

/* Before the lock is used; the place stays where it is as long as the lock lives. */
static inline void locklab_brlock_join(struct locklab_brlock *lock,
                                       struct locklab_brlock_place *place)
{
    locklab_rwlock_init(&place->lock);
    place->next = lock->first;
    lock->first = place;
}

static inline void locklab_brlock_read_acquire(struct locklab_brlock_place *place)
{
    locklab_rwlock_read_acquire(&place->lock);
}

static inline void locklab_brlock_read_release(struct locklab_brlock_place *place)
{
    locklab_rwlock_read_release(&place->lock);
}

static inline void locklab_brlock_write_acquire(struct locklab_brlock *lock)
{
    for (struct locklab_brlock_place *place = lock->first; place != NULL; place = place->next)
        locklab_rwlock_write_acquire(&place->lock);
}

static inline void locklab_brlock_write_release(struct locklab_brlock *lock)
{
    for (struct locklab_brlock_place *place = lock->first; place != NULL; place = place->next)
        locklab_rwlock_write_release(&place->lock);
}

#endif
