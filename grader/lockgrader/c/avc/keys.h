/* SPDX-License-Identifier: MIT */
/*
 * The keys of a client: drawn from the run's seed, and not the same for all students.
 *
 * A cache can be another program for some keys. A client has few keys, so it would miss them. So many
 * keys are tried first, each alone in an empty cache: inserted, replaced, looked up, and reclaimed. A
 * right cache takes one way through its code for all of them, or a few. The client gets the keys whose
 * ways are the rarest.
 *
 * In front of an inclusion: TRY_INSERT, TRY_LOOKUP, TRY_RECLAIM, calls of the submission, and TRY_WAIT,
 * a call that waits for its callbacks.
 */
#ifndef LOCKLAB_AVC_KEYS_H
#define LOCKLAB_AVC_KEYS_H

#include "client.h"

enum { KEYS = 64, TRIED = 512, MOST_RECLAIMS = 4 };

static struct avc_key keys[KEYS];

unsigned long locklab_path(void);

/* Key number `i` of a stream. Every fourth differs from the one before in one field only. */
UNSEEN struct avc_key drawn_key(uint64_t stream, unsigned i)
{
    uint64_t high = mixed(stream * 0x9e3779b97f4a7c15u + i + 1), low = mixed(high);
    struct avc_key key = {(uint32_t)high, (uint32_t)(high >> 32), (uint32_t)low};

    if (i % 4 == 3) {
        const struct avc_key other = drawn_key(stream, i - 1);

        switch ((low >> 32) % 3) {
        case 0:
            return (struct avc_key){key.ssid, other.tsid, other.tclass};
        case 1:
            return (struct avc_key){other.ssid, key.tsid, other.tclass};
        default:
            return (struct avc_key){other.ssid, other.tsid, key.tclass};
        }
    }
    return key;
}

/* The way of a key; 0 if it does not go, so that the cache is not empty any more. */
UNSEEN unsigned long path_of(const struct avc_key *key)
{
    const struct avc_decision old = decision_of(0, 1), decision = decision_of(0, 2);
    struct avc_decision found;
    unsigned reclaims = 0;

    (void)locklab_path();
    (void)TRY_INSERT(key, &old);
    (void)TRY_INSERT(key, &decision);
    (void)TRY_LOOKUP(key, &found);
    while (TRY_RECLAIM() == 0)
        if (++reclaims == MOST_RECLAIMS)
            return 0;
    return locklab_path() | 1;
}

/* How many of the keys take the way of a key. */
UNSEEN unsigned alike(const unsigned long *paths, unsigned n, unsigned key)
{
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++)
        count += paths[i] == paths[key];
    return count;
}

/* Draws the keys; from an empty cache, which is empty afterwards. */
UNSEEN void keys_draw(uint64_t seed, bool tries)
{
    static unsigned long paths[TRIED];
    static unsigned often[TRIED];
    unsigned n = 0, taken = 0;

    for (unsigned i = 0; i < KEYS; i++)
        keys[i] = drawn_key(seed, i);
    while (tries && n < TRIED) {
        const struct avc_key key = drawn_key(seed, n);

        paths[n] = path_of(&key);
        if (paths[n] == 0)
            return;
        n++;
    }
    TRY_WAIT();
    for (unsigned i = 0; i < n; i++)
        often[i] = alike(paths, n, i);
    for (unsigned rare = 1; rare <= n && taken < KEYS; rare++)
        for (unsigned i = 0; i < n && taken < KEYS; i++)
            if (often[i] == rare)
                keys[taken++] = drawn_key(seed, i);
}

#endif
