/* SPDX-License-Identifier: MIT */
/*
 * Sampled times, counted in buckets whose width is at most 1/64 of their value.
 *
 * This is the layout of HdrHistogram (Tene, 2012) with 64 sub-buckets: values below 128 have a
 * bucket each; above, each power of two is divided into 64. A thread fills a histogram of its own.
 */
#ifndef LOCKLAB_HARNESS_SAMPLES_H
#define LOCKLAB_HARNESS_SAMPLES_H

#include <stdint.h>

/* One acquisition in this many is timed: a prime, so that samples do not miss a regular pattern. */
#define LOCKLAB_SAMPLE_EVERY 61

#define LOCKLAB_SUB_BITS 6
#define LOCKLAB_BUCKETS (128 + (64 - 1 - LOCKLAB_SUB_BITS) * (1 << LOCKLAB_SUB_BITS))

struct locklab_histogram {
    uint64_t counts[LOCKLAB_BUCKETS];
    uint64_t total; /* ticks, of all samples together */
    uint64_t longest;
};

/* The samples of one thread on one side of a lock. All acquisitions are counted. Times, in ticks of
 * locklab_ticks(), are those of the sampled ones and contain one reading of the clock each. */
struct locklab_side {
    uint64_t count;
    uint64_t contended;                     /* of these, those that had to wait */
    struct locklab_histogram wait;          /* from the call until the lock is held */
    struct locklab_histogram contended_wait; /* the same, of those that had to wait */
    struct locklab_histogram hold;          /* from there until release is called */
};

struct locklab_samples {
    struct locklab_side write;
    struct locklab_side read;
};

/* The bucket of a value. */
static inline unsigned locklab_bucket(uint64_t value)
{
    unsigned shift;

    if (value < 128)
        return (unsigned)value;
    shift = 63 - LOCKLAB_SUB_BITS - (unsigned)__builtin_clzll(value); /* >= 1 */
    return shift * (1u << LOCKLAB_SUB_BITS) + (unsigned)(value >> shift);
}

/* The least value of a bucket, and how many values it has. */
static inline uint64_t locklab_bucket_first(unsigned bucket)
{
    unsigned shift = bucket < 128 ? 0 : (bucket >> LOCKLAB_SUB_BITS) - 1;

    return (uint64_t)(bucket - (shift << LOCKLAB_SUB_BITS)) << shift;
}

static inline uint64_t locklab_bucket_width(unsigned bucket)
{
    return (uint64_t)1 << (bucket < 128 ? 0 : (bucket >> LOCKLAB_SUB_BITS) - 1);
}

static inline void locklab_record(struct locklab_histogram *histogram, uint64_t value)
{
    histogram->counts[locklab_bucket(value)]++;
    histogram->total += value;
    if (value > histogram->longest)
        histogram->longest = value;
}

#endif
