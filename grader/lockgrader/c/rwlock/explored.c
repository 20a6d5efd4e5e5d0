/* SPDX-License-Identifier: MIT */
/*
 * The explorer's client of a reader-writer lock. SCENARIO names what it asks.
 *
 *   EXCLUDES  thread 0 writes, the others read: a reader never sees half a write
 *   WRITERS   all threads write: no two at once
 *   TOGETHER  all threads read, and each waits inside until all are: a deadlock unless readers share
 */
#include "sections.h"

#define EXCLUDES 1
#define WRITERS 2
#define TOGETHER 3

static _Atomic(int) readers;

static inline void read_section(unsigned me)
{
    unsigned seen;

    read_acquire(me);
    locklab_mark("acquired the lock as a reader");
    if (atomic_load_explicit(&inside, memory_order_relaxed) != 0)
        locklab_fail("mutual exclusion is violated: a reader is inside together with a writer");
    seen = count;
#if SCENARIO == TOGETHER
    atomic_fetch_add(&readers, 1);
    while (atomic_load(&readers) < locklab_threads())
        continue;
#endif
    locklab_assert(seen == count);
    read_release(me);
    locklab_mark("released the lock as a reader");
}

void locklab_setup(void)
{
    lock_begin();
}

void locklab_thread(int me)
{
    if (SCENARIO == WRITERS || (SCENARIO == EXCLUDES && me == 0))
        write_section((unsigned)me);
    else
        read_section((unsigned)me);
    errs(me);
}

void locklab_check(void)
{
    unsigned written = SCENARIO == WRITERS ? (unsigned)locklab_threads() : SCENARIO == EXCLUDES;

    locklab_assert(count == written);
    write_section(0);
    end_errs();
}
