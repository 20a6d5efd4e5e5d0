/* Store buffering, release and acquire. */
#include <stdatomic.h>

static _Atomic int x, y;
static int seen[2];

void locklab_thread(int me)
{
    if (me == 0) {
        atomic_store_explicit(&x, 1, memory_order_release);
        seen[0] = atomic_load_explicit(&y, memory_order_acquire);
    } else {
        atomic_store_explicit(&y, 1, memory_order_release);
        seen[1] = atomic_load_explicit(&x, memory_order_acquire);
    }
}

void locklab_check(void)
{
    locklab_assert(seen[0] || seen[1]);
}
