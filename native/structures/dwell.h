/* SPDX-License-Identifier: MIT */
/*
 * Loops that validate stay for a while where a structure says that it would hurt to be disturbed:
 * now and then the CPU goes to another thread. Included before a structure's header.
 */
#ifndef LOCKLAB_STRUCTURES_DWELL_H
#define LOCKLAB_STRUCTURES_DWELL_H

#ifdef LOCKLAB_POLITE
#include <sched.h>

static inline void structure_dwell(void)
{
    static _Thread_local unsigned turns;

    if (++turns % 61 == 0) /* a prime: no regular pattern hides from it */
        sched_yield();
}

#define LOCKLAB_DWELL() structure_dwell()
#endif

#endif
