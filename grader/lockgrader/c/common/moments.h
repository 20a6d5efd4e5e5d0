/* SPDX-License-Identifier: MIT */
/*
 * The lock that the explorer's threads find: one that has been used. A question from fresh memory
 * alone leaves room for a lock that is another one later, so a scenario begins at each of these
 * moments, and the run's seed draws how many uses come before.
 *
 *   FRESH  none
 *   FEW    as many as a short test makes
 *   MANY   2^n - 1 with n from 9 to 16: the next one lets a number of n bits wrap, while the threads
 *          are inside
 *   MOST   more than any other check makes (alone.h), and then to where a number of 32 bits wraps
 *          (forward.h)
 * The explorer makes each moment once, and begins its runs from a copy.
 *
 * Threads have other numbers `me` at each moment, and in a drawn order, so that each number below
 * LOCK_THREADS is tried in one role or another.
 */
#ifndef LOCKLAB_MOMENTS_H
#define LOCKLAB_MOMENTS_H

#define BY(me, function) locklab_as(me, function)
#include "forward.h"

enum { FRESH, FEW, MANY, MOST, MOMENTS };
enum { LOCK_THREADS = 8 }; /* as in the headers of the interfaces */
enum { MOST_OF_FEW = 300, LEAST_BITS = 9, BITS = 16, MOST_USES = 67000, MORE = 1000 };

static unsigned numbers[LOCK_THREADS];

UNSEEN unsigned number_of(unsigned thread)
{
    return numbers[thread];
}

#define NUMBER(thread) number_of(thread)

UNSEEN void worn_is_wrong(const char *what)
{
    locklab_fail(what);
}

UNSEEN unsigned uses_before(unsigned moment, uint64_t draw)
{
    switch (moment) {
    case FEW:
        return 1 + (unsigned)(draw % MOST_OF_FEW);
    case MANY:
        return (1u << (LEAST_BITS + draw % (BITS - LEAST_BITS + 1))) - 1;
    default:
        return MOST_USES + (unsigned)(draw % MORE);
    }
}

/* Uses the lock, in locklab_setup(). */
UNSEEN void moment_begin(void (*use)(int me))
{
    const unsigned moment = locklab_any(MOMENTS);
    const unsigned threads = (unsigned)locklab_threads();
    uint64_t random = mixed(locklab_seed() * MOMENTS + moment) + SCENARIO;
    const unsigned uses = uses_before(moment, drawn(&random));
    const unsigned turn = moment == FRESH ? 0 : (unsigned)(drawn(&random) % threads);

    for (unsigned i = 0; i < threads; i++)
        numbers[i] = (moment * threads + (i + turn) % threads) % LOCK_THREADS;
    if (moment == FRESH)
        return;
    locklab_context("after # uses: ", &worn.uses);
    wear(&random, uses, threads, use);
    if (moment == MOST)
        forward(use);
}

#endif
