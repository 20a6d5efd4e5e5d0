/* SPDX-License-Identifier: MIT */
/* Loops that wait, each in another way: CASE. All end, but for 5 and 6. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static _Atomic int go, other, tries;
int plain;

static void wait(void)
{
    switch (CASE) {
    case 0: /* on one word */
        while (!atomic_load(&go))
            LOCKLAB_PAUSE();
        break;
    case 1: /* on two */
        while (!atomic_load(&go) && !atomic_load(&other))
            LOCKLAB_PAUSE();
        break;
    case 2: /* changes a word and changes it back */
        while (atomic_fetch_add(&other, 1), !atomic_load(&go))
            atomic_fetch_sub(&other, 1);
        break;
    case 3: /* counts its tries, where all can see */
        while (!atomic_load(&go))
            atomic_fetch_add(&tries, 1);
        break;
    case 4: /* gives up */
        for (int i = 0; i < 50 && !atomic_load(&go); i++)
            sched_yield();
        break;
    case 5: /* on what nobody will write */
        while (atomic_load(&go) != 2)
            sched_yield();
        break;
    case 6: /* the compiler looks at a plain word but once */
        while (!plain)
            ;
        break;
    }
}

void locklab_thread(int me)
{
    if (me == 0)
        wait();
    else
        atomic_store(&go, 1);
}
