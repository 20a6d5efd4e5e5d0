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

#define LOCKLAB_SUB_BITS 6
#define LOCKLAB_BUCKETS (128 + (64 - 1 - LOCKLAB_SUB_BITS) * (1 << LOCKLAB_SUB_BITS))

struct locklab_histogram {
    uint64_t counts[LOCKLAB_BUCKETS];
    uint64_t total; /* ticks, of all samples together */
    uint64_t longest;
};

/* Times of one thread's sampled acquisitions, in ticks of locklab_ticks(). */
struct locklab_samples {
    struct locklab_histogram wait; /* from the call until the lock is held */
    struct locklab_histogram hold; /* from there until release has returned */
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

static inline void locklab_record(struct locklab_histogram *histogram, uint64_t value)
{
    histogram->counts[locklab_bucket(value)]++;
    histogram->total += value;
    if (value > histogram->longest)
        histogram->longest = value;
}

#endif
