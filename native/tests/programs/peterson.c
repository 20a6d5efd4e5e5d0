/* SPDX-License-Identifier: MIT */
/* Peterson's lock for two threads; right under TSO only with ORDER = memory_order_seq_cst. */
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif

static _Atomic int wants[2], turn;
static int count;

void locklab_thread(int me)
{
    atomic_store_explicit(&wants[me], 1, ORDER);
    atomic_store_explicit(&turn, !me, ORDER);
    while (atomic_load_explicit(&wants[!me], memory_order_acquire) &&
           atomic_load_explicit(&turn, memory_order_acquire) == !me)
        LOCKLAB_PAUSE();
    count++;
    atomic_store_explicit(&wants[me], 0, memory_order_release);
}

void locklab_check(void)
{
    locklab_assert(count == 2);
}
