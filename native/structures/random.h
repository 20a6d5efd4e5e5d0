/* SPDX-License-Identifier: MIT */
/* A stream of random numbers for each thread: xorshift64* (Vigna, ACM TOMS 42(4), 2016). */
#ifndef LOCKLAB_STRUCTURES_RANDOM_H
#define LOCKLAB_STRUCTURES_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

/* Streams of the same seed and different numbers have nothing visible in common (SplitMix64). */
static inline void random_init(struct random *random, uint64_t seed, unsigned number)
{
    uint64_t mixed = seed + (number + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    mixed ^= mixed >> 31;
    random->state = mixed != 0 ? mixed : 1;
}

static inline uint32_t random_next(struct random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return (uint32_t)((random->state * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

/* 0 to bound - 1; the deviation from uniform is below bound / 2^32. */
static inline uint32_t random_below(struct random *random, uint32_t bound)
{
    return (uint32_t)(((uint64_t)random_next(random) * bound) >> 32);
}

/* True in `share` of 65536 cases. */
static inline int random_happens(struct random *random, uint32_t share)
{
    return (random_next(random) >> 16) < share;
}

#endif
