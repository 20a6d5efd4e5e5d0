/* Two writers, two readers who disagree on the order. Four threads. */
#include <stdatomic.h>

static _Atomic int x, y;
static int first[4], second[4];

void locklab_thread(int me)
{
    if (me == 0)
        atomic_store_explicit(&x, 1, memory_order_release);
    else if (me == 1)
        atomic_store_explicit(&y, 1, memory_order_release);
    else if (me == 2) {
        first[2] = atomic_load_explicit(&x, memory_order_acquire);
        second[2] = atomic_load_explicit(&y, memory_order_acquire);
    } else {
        first[3] = atomic_load_explicit(&y, memory_order_acquire);
        second[3] = atomic_load_explicit(&x, memory_order_acquire);
    }
}

void locklab_check(void)
{
    locklab_assert(!(first[2] == 1 && second[2] == 0 && first[3] == 1 && second[3] == 0));
}
