/* SPDX-License-Identifier: MIT */
/*
 * A drawn beginning, which is one run and no more; then a write too many.
 *
 * QUIET: the second thread writes nothing. SEED_IS: what --seed must arrive as.
 */
#include <stdatomic.h>

static _Atomic int word, other;

static void look(int quiet)
{
    unsigned long before = locklab_writes();

    if (!quiet)
        atomic_store(&other, 1);
    if (locklab_writes() > before)
        locklab_fail_to_read("a look writes");
}

static unsigned counts[2];

void locklab_setup(void)
{
    locklab_context("after # updates by # thread: ", counts);
    locklab_alone(1);
    for (counts[1] = 1; counts[0] < 30000; counts[0]++)
        atomic_fetch_add(&word, 1);
    locklab_alone(0);
    locklab_assert(locklab_seed() == SEED_IS);
}

void locklab_thread(int me)
{
    locklab_alone(me == 0);
    for (int i = 0; i < 10; i++)
        atomic_fetch_add(&word, 1);
    locklab_alone(0);
    if (me == 1)
        look(QUIET);
}
