/* SPDX-License-Identifier: MIT */
/* Numbers drawn from a seed; history.py draws the same. */
#ifndef LOCKLAB_DRAWN_H
#define LOCKLAB_DRAWN_H

#include <stdint.h>

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

/* A word of a value that shows its origin: a mixture of two versions is detected. */
static inline uint32_t word_of(unsigned key, unsigned version, unsigned which)
{
    return (version * 8 + which) * 0x9e3779b1u + key * 0x85ebca6bu;
}

#endif
