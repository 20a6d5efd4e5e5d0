/* SPDX-License-Identifier: MIT */
/*
 * Many uses of a lock by one thread, before the threads of a client begin: a submission that counts
 * its uses, or whose numbers are too narrow, is wrong afterwards. The threads then use the worn lock.
 *
 * The number of uses is drawn from the run's seed, and above 65,536: numbers of 8 and of 16 bits wrap,
 * and right ones may. A mistake ends the program with a line on standard error.
 */
#ifndef LOCKLAB_WORN_H
#define LOCKLAB_WORN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "drawn.h"

enum { WRONG_WHEN_WORN = 69, MOST_WAITS_ALONE = 1000000 };

static struct {
    bool is_alone;         /* the only thread is in the uses below */
    unsigned uses, waits; /* complete uses; iterations that waited in this one */
} worn;

static inline void worn_is_wrong(const char *what)
{
    fprintf(stderr, "LockLab: after %u uses by one thread %s\n", worn.uses, what);
    _exit(WRONG_WHEN_WORN);
}

static inline void worn_requires(bool is_right, const char *otherwise)
{
    if (!is_right)
        worn_is_wrong(otherwise);
}

/* The submission waits. No thread can end the wait of the only one. */
static inline void worn_waits(void)
{
    if (worn.is_alone && ++worn.waits > MOST_WAITS_ALONE)
        worn_is_wrong("the lock is still held");
}

/* Uses the lock many times; `use` is one complete use, by the thread of a number. */
static inline void wear(uint64_t seed, unsigned threads, void (*use)(unsigned me))
{
    uint64_t random = ~seed;
    unsigned wanted = (1u << 16) + 300 + (unsigned)(drawn(&random) % 401);

    worn.is_alone = true;
    for (worn.uses = 0; worn.uses < wanted; worn.uses++) {
        worn.waits = 0;
        use((unsigned)(drawn(&random) % threads));
    }
    worn.is_alone = false;
}

#endif
