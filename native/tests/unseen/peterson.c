/* Peterson with release and acquire only. */
#include <stdatomic.h>

static _Atomic int flag[2], turn;
static int count;

void locklab_thread(int me)
{
    int other = 1 - me;

    atomic_store_explicit(&flag[me], 1, memory_order_release);
    atomic_store_explicit(&turn, other, memory_order_release);
    while (atomic_load_explicit(&flag[other], memory_order_acquire)
           && atomic_load_explicit(&turn, memory_order_acquire) == other)
        ;
    count++;
    atomic_store_explicit(&flag[me], 0, memory_order_release);
}

void locklab_check(void)
{
    locklab_assert(count == 2);
}
