/* Two threads raise flags, and both withdraw when they meet. */
#include <stdatomic.h>

static _Atomic int flag[2];
static int count;

void locklab_thread(int me)
{
    for (;;) {
        atomic_store(&flag[me], 1);
        if (!atomic_load(&flag[1 - me]))
            break;
        atomic_store(&flag[me], 0);
    }
    count++;
    atomic_store(&flag[me], 0);
}

void locklab_check(void)
{
    locklab_assert(count == 2);
}
