/* A fence that only x86 knows. */
#include <stdatomic.h>

static _Atomic int x, y;
static int seen[2];

void locklab_thread(int me)
{
    _Atomic int *mine = me ? &y : &x, *other = me ? &x : &y;

    atomic_store_explicit(mine, 1, memory_order_relaxed);
    __builtin_ia32_mfence();
    seen[me] = atomic_load_explicit(other, memory_order_relaxed);
}

void locklab_check(void)
{
    locklab_assert(seen[0] || seen[1]);
}
