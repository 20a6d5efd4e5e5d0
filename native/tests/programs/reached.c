/* SPDX-License-Identifier: MIT */
/*
 * Few words that threads share, among OWN steps of each on words of its own.
 *
 * SHARED 0: no error. 1: two increments in two steps lose one. 2: store buffering: both threads read
 * 0, under TSO. 3: the second thread looks at one of the first one's words, but only where it finds
 * that thread between two of its steps.
 */
#include <stdatomic.h>

static _Atomic int mine[2][OWN + 1], x, y, seen[2];

void locklab_thread(int me)
{
    for (int i = 0; i < OWN; i++) {
        atomic_fetch_add(&mine[me][i], 1);
        if (SHARED == 1 && i == OWN / 2) {
            int was = atomic_load(&x);

            for (int j = 0; j < OWN; j++)
                atomic_store_explicit(&mine[me][j], j, memory_order_relaxed);
            atomic_store(&x, was + 1);
        }
        if (SHARED == 3 && me == 0 && i == OWN / 2)
            atomic_store(&x, 1);
    }
    if (SHARED == 2) {
        atomic_store_explicit(me == 0 ? &x : &y, 1, memory_order_relaxed);
        atomic_store(&seen[me], atomic_load_explicit(me == 0 ? &y : &x, memory_order_relaxed));
    }
    if (SHARED == 3 && me == 0)
        atomic_store(&x, 0);
    if (SHARED == 3 && me == 1 && atomic_load(&x) == 1)
        locklab_assert(atomic_load(&mine[0][OWN - 1]) == 1);
}

void locklab_check(void)
{
    locklab_assert(SHARED != 1 || x == 2);
    locklab_assert(SHARED != 2 || seen[0] + seen[1] > 0);
}
