/* SPDX-License-Identifier: MIT */
/*
 * Shared by all clients of an access vector cache: decisions that show their origin.
 *
 * A decision's four words depend on the key and a version, so a mixture of two versions is
 * detected. history.py has the same formulas.
 */
#ifndef LOCKLAB_AVC_CLIENT_H
#define LOCKLAB_AVC_CLIENT_H

#include "avc.h"

static inline uint64_t mixed(uint64_t x) /* splitmix64; Steele, Lea, Flood, OOPSLA 2014 */
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t drawn(uint64_t *state)
{
    return mixed(*state += 0x9e3779b97f4a7c15u);
}

static inline struct avc_key key_of(unsigned number)
{
    return (struct avc_key){number + 1, 7 * number + 2, number % 3};
}

static inline uint32_t word_of(unsigned key, unsigned version, unsigned which)
{
    return (version * 8 + which) * 0x9e3779b1u + key * 0x85ebca6bu;
}

static inline struct avc_decision decision_of(unsigned key, unsigned version)
{
    return (struct avc_decision){word_of(key, version, 0), word_of(key, version, 1),
                                 word_of(key, version, 2), version};
}

#endif
