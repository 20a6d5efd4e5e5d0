/* SPDX-License-Identifier: MIT */
/*
 * Sections of a lock, for the explorer's clients. The plain word `count` is protected: an order that
 * is missing shows as a data race, and two writers at once as a lost update.
 */
#ifndef LOCKLAB_SECTIONS_H
#define LOCKLAB_SECTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "confined.h"
#include "moments.h"

#include "calls.h"

static unsigned count;
static _Atomic(int) inside; /* writers */

void locklab_relax(void) {}

/* A scenario's beginning: an initialised lock, which has been used. */
static inline void lock_begin(void)
{
    lock_init();
    setup_errs();
    moment_begin(use);
}

/* What a thread does that holds the lock. */
static inline void hold(void)
{
    if (atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed) != 0)
        locklab_fail("mutual exclusion is violated: two threads hold the lock");
    count++;
    atomic_fetch_sub_explicit(&inside, 1, memory_order_relaxed);
}

static inline void write_section(unsigned me)
{
    acquire(me);
    locklab_mark("acquired the lock");
    hold();
    release(me);
    locklab_mark("released the lock");
}

#endif
