/* SPDX-License-Identifier: MIT */
/*
 * Many uses of a lock, one after another, before the threads of a client begin: a submission that
 * counts its uses, or whose numbers are too narrow, is wrong afterwards. The threads then use the worn
 * lock.
 *
 * Uses come in batches of drawn lengths, each by a drawn thread. The client defines in front of the
 * inclusion how a thread does something (BY), and worn_is_wrong(), which says after how many uses.
 */
#ifndef LOCKLAB_WORN_H
#define LOCKLAB_WORN_H

#include <stdbool.h>
#include <stdint.h>

#include "drawn.h"

enum { BATCHES = 9 }; /* the longest has less than 2^9 uses */

static struct {
    bool is_alone;  /* the only thread is in a use now */
    unsigned uses;  /* complete ones */
    unsigned batch; /* those before this batch */
    unsigned waits; /* iterations that waited in this use */
} worn;

UNSEEN void worn_is_wrong(const char *what);

UNSEEN void worn_requires(bool is_right, const char *otherwise)
{
    if (!is_right)
        worn_is_wrong(otherwise);
}

UNSEEN void wear(uint64_t *random, unsigned uses, unsigned threads, void (*use)(int me))
{
    worn.is_alone = true;
    while (worn.uses < uses) {
        unsigned least = 1u << drawn(random) % BATCHES;
        unsigned wanted = least + (unsigned)(drawn(random) % least);
        int me = (int)(drawn(random) % threads);

        for (worn.batch = worn.uses; worn.uses < uses && wanted > 0; wanted--) {
            worn.waits = 0;
            BY(me, use);
            worn.uses++;
        }
    }
    worn.is_alone = false;
}

#endif
