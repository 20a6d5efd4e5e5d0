/* SPDX-License-Identifier: MIT */
/*
 * A drawn load that asks at every lookup: is the answer right, and how many words that others read
 * were written for it?
 *
 * One question after one insertion leaves room for a cache that locks later. So everything that a
 * cache could count or look at is drawn from the run's seed: how many operations come first, the
 * keys, which decisions are replaced, which ones reclaiming removes, and which thread does what.
 * The longest moment is after more operations than any other check makes.
 *
 *   moment 0, 1   after a few operations: every interleaving of lookups with a writer
 *   moment 2      the same with a reclaim
 *   moment 3, 4   after many: the threads take turns, since each interleaving would repeat them all
 * The last moment reclaims often, so that there are more reclaims than in any other check, too. In the
 * interleavings a lookup that is begun is also made without an interruption: it must not wait.
 *
 * In front of an inclusion: ASKS_WRITES, whether lookups are asked what they write; ASKS_MARKED,
 * whether only those of marked entries are asked, which write nothing; otherwise all are asked,
 * which write one word at most.
 */
#ifndef LOCKLAB_AVC_LOAD_H
#define LOCKLAB_AVC_LOAD_H

#include <pthread.h>
#include <stdio.h>
#include <urcu.h>

#include "keys.h"

enum { MOST_KEYS = 48, MOMENTS = 5, WITH_RECLAIM = 2, CONCURRENT = 3, TURN = 24 };

static const unsigned at_least[MOMENTS] = {1, 24, 4, 500, 7500},
                      at_most[MOMENTS] = {12, 160, 40, 1500, 9000};

static struct {
    uint64_t random, stream;
    unsigned n_keys, reclaims_every, moment;
    unsigned version[MOST_KEYS]; /* 0: no decision */
    unsigned missed[MOST_KEYS];  /* each time the number gets another key */
    bool marked[MOST_KEYS], is_reclaiming; /* another thread may remove marks */
    unsigned insertions, replaced, removed, lookups, entries;
} load;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* The first keys are those of the threads. A key that was looked up and not found does not come again,
 * so a long load has thousands. */
UNSEEN struct avc_key load_key(unsigned number)
{
    if (load.missed[number] == 0)
        return keys[number];
    return drawn_key(mixed(load.stream) + load.missed[number], number);
}

/* What came before, in words. */
UNSEEN int told_before(char *why, size_t size)
{
    return snprintf(why, size,
                    "before: %u insertions, %u of them replacements, %u removed, %u lookups; %u "
                    "decisions in the cache. A lookup ",
                    load.insertions, load.replaced, load.removed, load.lookups, load.entries);
}

UNSEEN void refuse(const char *what, unsigned long written)
{
    char why[400]; /* not static: that would be another word that others read */
    int told = told_before(why, sizeof(why));

    snprintf(why + told, sizeof(why) - (size_t)told,
             "%s %lu word(s) that others read, and may write %s", what, written,
             ASKS_MARKED ? "none" : "one");
    locklab_fail_to_read(why);
}

UNSEEN void refuse_to_wait(void)
{
    char why[400];
    int told = told_before(why, sizeof(why));

    snprintf(why + told, sizeof(why) - (size_t)told,
             "waits until %s has gone on: readers wait for nobody",
             load.moment == WITH_RECLAIM ? "a reclaim" : "an insertion");
    locklab_fail(why);
}

/* A lookup, whose answer the model has. */
UNSEEN void ask(unsigned number)
{
    const struct avc_key key = load_key(number);
    const unsigned version = load.version[number];
    const struct avc_decision right = decision_of(number, version);
    struct avc_decision found;
    unsigned long written = locklab_writes();
    bool hit = lookup(&key, &found);

    written = locklab_writes() - written;
    if (ASKS_WRITES && ASKS_MARKED && hit && load.marked[number] && !load.is_reclaiming &&
        written > 0)
        refuse("of a marked decision writes", written);
    if (ASKS_WRITES && !ASKS_MARKED && written > 1)
        refuse(hit ? "writes" : "that finds nothing writes", written);
    locklab_assert(hit == (version > 0));
    locklab_assert(!hit || (found.allowed == right.allowed && found.decided == right.decided &&
                            found.auditallow == right.auditallow && found.seqno == version));
    load.missed[number] += !hit;
}

UNSEEN void remember(unsigned number, unsigned version)
{
    const struct avc_key key = load_key(number);
    const struct avc_decision decision = decision_of(number, version);

    locklab_assert(insert(&key, &decision));
}

UNSEEN void inserted(unsigned number, unsigned version)
{
    load.insertions++;
    load.replaced += load.version[number] > 0;
    load.entries += load.version[number] == 0;
    load.version[number] = version;
    load.marked[number] = true;
}

UNSEEN void reclaimed(void)
{
    for (unsigned i = 0; i < load.n_keys; i++) {
        if (load.version[i] > 0 && !load.marked[i]) {
            load.version[i] = 0;
            load.removed++;
            load.entries--;
        }
        load.marked[i] = false;
    }
}

/* One drawn operation, by whoever runs alone. */
UNSEEN void operate(void)
{
    uint64_t draw = drawn(&load.random);
    unsigned number = (unsigned)(draw >> 32) % load.n_keys;

    if (draw % load.reclaims_every == 0) {
        call(RECLAIMING);
        reclaimed();
        rcu_barrier();
    } else if ((draw >> 16) % 3 == 0) {
        remember(number, load.insertions + 1);
        inserted(number, load.insertions + 1);
    } else {
        ask(number);
        load.lookups++;
        load.marked[number] = load.version[number] > 0;
    }
}

UNSEEN void load_before(void)
{
    unsigned operations;

    load.moment = locklab_any(MOMENTS);
    locklab_alone(1);
    load.random = load.stream = locklab_seed() * MOMENTS + load.moment;
    keys_draw(load.stream, load.moment >= CONCURRENT);
    load.n_keys = 6 + (unsigned)(drawn(&load.random) % (MOST_KEYS - 5));
    load.reclaims_every = 16u << (load.moment + 1 < MOMENTS ? drawn(&load.random) % 5 : 0);
    operations = at_least[load.moment] +
                 (unsigned)(drawn(&load.random) % (at_most[load.moment] - at_least[load.moment]));
    for (unsigned i = 0; i < operations; i++)
        operate();
    /* The threads need a decision to replace, two marked ones to look up, and a new key. */
    for (unsigned i = 0; i < 4; i++) {
        remember(i, load.insertions + 1);
        inserted(i, load.insertions + 1);
    }
    if (!ASKS_MARKED && load.moment != WITH_RECLAIM) { /* so that two readers mark one entry at once */
        call(RECLAIMING);
        reclaimed();
    }
    rcu_barrier();
    load.is_reclaiming = load.moment == WITH_RECLAIM;
    locklab_alone(load.moment >= CONCURRENT);
}

/* The writer touches keys 0 and 4 only, so what the others look up stays as it is. */
UNSEEN void load_thread(int me)
{
    if (load.moment >= CONCURRENT) {
        pthread_mutex_lock(&turn);
        for (unsigned i = 0; i < TURN; i++)
            operate();
        pthread_mutex_unlock(&turn);
    } else if (me == 0 && load.moment == WITH_RECLAIM) {
        call(RECLAIMING);
    } else if (me == 0) {
        remember(0, load.insertions + 1);
        ask(2);
        remember(4, load.insertions + 2);
    } else {
        int ahead = (int)locklab_any(2);

        locklab_ahead(ahead);
        ask(1 + (unsigned)me % 3); /* thread 1: what the writer looks up, too */
        if (ahead && locklab_waited())
            refuse_to_wait();
        locklab_ahead(0);
    }
}

UNSEEN void load_after(void)
{
    if (load.moment == WITH_RECLAIM) {
        reclaimed();
    } else if (load.moment < CONCURRENT) {
        inserted(0, load.insertions + 1);
        inserted(4, load.insertions + 1);
    }
    for (unsigned i = 0; i < load.n_keys; i++)
        ask(i);
}

#endif
