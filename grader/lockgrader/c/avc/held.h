/* SPDX-License-Identifier: MIT */
/*
 * A reader that stays inside while the cache goes on, after a drawn load (load.h).
 *
 * The reader is stopped once, at any of its steps. Then the writer replaces the decision that is
 * looked up, and does many more operations, without an interruption. A cache that waits for readers
 * waits here, or leaves the memory alone until the reader is out. One that frees or reuses after so
 * many removals, from a pool, or for some keys only, does it while the reader is inside: the
 * explorer sees the access to freed memory, the race, or a decision of another key.
 *
 * At every second moment the writer reclaims nothing, and at the others it looks up the decision of two
 * keys before each reclaim. Then the decision is there all the time, and the reader must find a version
 * of it: also one that stands on another entry of the chain while that goes, or while the old version
 * goes and the new one comes. So one of the keys that are looked up is among the first that are put in,
 * and one is the last: whether new entries go to a chain's head or to its end, others are before one.
 * The writer's first reclaim removes them: a cache that waits there waits for the reader.
 *
 * At the end, after all callbacks, memory that is held for removed decisions must have come back:
 * blocks and bytes are compared with the decisions in the cache. SLACK is what a cache may keep.
 */
#ifndef LOCKLAB_AVC_HELD_H
#define LOCKLAB_AVC_HELD_H

#include "load.h"

enum { SLACK = 256, ENTRY_BYTES = 256, LOOKED_UP = 4 };

static const unsigned held_at_least[MOMENTS] = {2, 80, 20, 500, 1600},
                      held_drawn[MOMENTS] = {8, 60, 40, 200, 800};

static struct {
    unsigned long blocks, bytes; /* of the empty cache */
    unsigned number, version;    /* what is looked up */
    bool reclaims;               /* the writer does */
    bool stays;                  /* and not what is looked up */
} held;

UNSEEN void held_before(void)
{
    held.blocks = locklab_blocks();
    held.bytes = locklab_bytes();
    load_before();
    locklab_alone(1);
    for (unsigned i = LOOKED_UP; i < load.n_keys; i++) {
        remember(i, load.insertions + 1);
        inserted(i, load.insertions + 1);
    }
    held.reclaims = load.moment % 2 == 0;
    if (held.reclaims) {
        for (unsigned i = 0; i < LOOKED_UP; i++)
            ask(i);
        call(RECLAIMING); /* the next one removes what is not looked up until then */
    }
    rcu_barrier();
    locklab_alone(0);
    held.number = locklab_any(LOOKED_UP);
    held.stays = !held.reclaims || held.number >= LOOKED_UP / 2;
    if (held.reclaims && held.number == LOOKED_UP - 1)
        held.number = load.n_keys - 1;
    held.version = load.version[held.number];
}

UNSEEN void held_write(void)
{
    const struct avc_key key = load_key(held.number);
    struct avc_decision found;
    unsigned operations = held_at_least[load.moment] +
                          (unsigned)(drawn(&load.random) % held_drawn[load.moment]);

    locklab_alone(1);
    for (unsigned i = 0; i < operations; i++) {
        uint64_t draw = drawn(&load.random);
        unsigned number = i == 0 ? held.number : (unsigned)(draw >> 32) % load.n_keys;

        if (held.reclaims && (i == held.stays || draw % 16 == 0)) {
            if (held.stays)
                locklab_assert(lookup(&key, &found));
            call(RECLAIMING);
        } else {
            remember(number, load.insertions + 1);
            inserted(number, load.insertions + 1);
        }
    }
    rcu_barrier(); /* waits for the reader; without it each callback would be a place to stop at */
    locklab_alone(0);
}

UNSEEN void held_thread(int me)
{
    const struct avc_key key = load_key(held.number);
    struct avc_decision found, right;

    if (me == 0) {
        held_write();
    } else if (!lookup(&key, &found)) {
        if (held.stays)
            locklab_fail("a lookup finds nothing, and its decision was there all the time: a reader on "
                         "another entry of the chain is led past it");
    } else {
        right = decision_of(held.number, found.seqno);
        locklab_assert(found.seqno >= held.version);
        locklab_assert(found.allowed == right.allowed && found.decided == right.decided &&
                       found.auditallow == right.auditallow);
    }
}

UNSEEN void held_after(void)
{
    char why[200];
    unsigned long blocks, bytes;

    blocks = locklab_blocks() - held.blocks;
    bytes = locklab_bytes() - held.bytes;
    if (blocks <= load.n_keys + SLACK && bytes <= (load.n_keys + SLACK) * ENTRY_BYTES)
        return;
    snprintf(why, sizeof(why),
             "after %u insertions of %u keys, and with no reader inside, the cache holds %lu blocks "
             "of %lu bytes together: removed decisions are not freed",
             load.insertions, load.n_keys, blocks, bytes);
    locklab_fail(why);
}

#endif
