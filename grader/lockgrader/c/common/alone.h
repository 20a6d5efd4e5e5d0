/* SPDX-License-Identifier: MIT */
/*
 * The uses of worn.h by the only thread of a program, before it makes others. Their number is drawn,
 * and above 65,536: numbers of 8 and of 16 bits wrap, and right ones may. A mistake ends the program
 * with a line on standard error.
 */
#ifndef LOCKLAB_ALONE_H
#define LOCKLAB_ALONE_H

#include <stdio.h>
#include <unistd.h>

/* The submission is called (calls.h) as it is. */
#define UNSEEN static inline
#define CALLER static inline
#define CALL(call) call
#define NUMBER(me) (me)

#define BY(me, function) function(me)
#include "worn.h"

enum { WRONG_WHEN_WORN = 69, MOST_WAITS_ALONE = 1000000 };

UNSEEN void worn_is_wrong(const char *what)
{
    fprintf(stderr, "LockLab: after %u uses: %s\n", worn.uses, what);
    _exit(WRONG_WHEN_WORN);
}

/* The submission waits. No thread can end the wait of the only one. */
static inline void worn_waits(void)
{
    if (worn.is_alone && ++worn.waits > MOST_WAITS_ALONE)
        worn_is_wrong("the lock is still held");
}

static inline void wear_alone(uint64_t seed, unsigned threads, void (*use)(int me))
{
    uint64_t random = ~seed;

    wear(&random, (1u << 16) + 300 + (unsigned)(drawn(&random) % 401), threads, use);
}

#endif
