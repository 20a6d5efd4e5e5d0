/* SPDX-License-Identifier: MIT */
/*
 * The explorer's client of a spinlock. SCENARIO names what it asks.
 *
 *   EXCLUDES  each thread enters once: no two are inside, and each sees what the last one wrote
 *   AGAIN     each thread enters twice, so a lock must be left as it was found
 */
#include "sections.h"

#define EXCLUDES 1
#define AGAIN 2

void locklab_setup(void)
{
    lock_begin();
}

void locklab_thread(int me)
{
    for (int round = 0; round < SCENARIO; round++)
        write_section((unsigned)me);
    errs(me);
}

void locklab_check(void)
{
    locklab_assert(count == (unsigned)locklab_threads() * SCENARIO);
    write_section(0);
    end_errs();
}
