/* SPDX-License-Identifier: MIT */
/* Runs without an end: thread 0 goes round a loop that always changes something. WRONG: thread 1 sees
 * what it does in between. */
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic int word = 1, over;

void locklab_thread(int me)
{
    int count = 0;

#if CASE == 1 /* swaps a value in, and back */
    if (me == 0)
        while (atomic_exchange(&word, 2) != 3)
            atomic_store(&word, 1);
    else
        locklab_assert(atomic_exchange(&word, 3) != (WRONG ? 2 : 4));
#elif CASE == 2 /* each store is a new value */
    if (me == 0)
        while (!atomic_load_explicit(&over, memory_order_relaxed))
            atomic_store_explicit(&word, ++count, memory_order_relaxed);
    else
        locklab_assert(atomic_load_explicit(&word, memory_order_relaxed) != (WRONG ? 3 : -1));
#elif CASE == 3 /* many blocks */
    for (; count < 8000; count++)
        free(malloc(40));
    locklab_assert(count + me != (WRONG ? 8001 : 0));
#endif
    over = 1;
}
