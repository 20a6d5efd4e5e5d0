/* SPDX-License-Identifier: MIT */
/*
 * The harness: threads that start together, do a kernel's work and report what each of them did.
 *
 * A kernel is a lock inlined into two loops, `validate` and `throughput`. The loops are written
 * once and compiled for each lock in a translation unit of its own, without link-time
 * optimisation: gcc 12 was seen to hoist a static counter's load across a right lock's acquire when
 * it saw both ends. locklab_run() starts the threads and owns the time; the loops own neither.
 */
#ifndef LOCKLAB_HARNESS_H
#define LOCKLAB_HARNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "locklab/arch.h"

/* Makes a value needed: what computes it, and the loop around that, can not be left out. */
static inline void locklab_use(uint64_t value)
{
    __asm__ volatile("" : : "r"(value));
}

/* Two lines: the hardware may fetch lines in pairs. */
#define LOCKLAB_PAD (2 * LOCKLAB_LINE)

/* What a thread does beside taking the lock, for the loops that ask. All zero: nothing. */
struct locklab_mix {
    uint32_t hold;        /* turns of locklab_spend() inside a section */
    uint32_t think;       /* turns of it between two sections */
    uint32_t write_share; /* of 65536 sections, how many write; where there is a read side */
    uint32_t option;      /* what a data structure or workload makes of it */
    uint64_t seed;
};

/* What one thread is asked to do. A loop uses either `iterations` or `stop`. */
struct locklab_order {
    uint64_t iterations;
    const atomic_bool *stop;
    bool read; /* take the read side */
    struct locklab_mix mix;
};

struct locklab_samples; /* harness/samples.h */

/* What one thread did. Each has lines of its own. */
struct locklab_tally {
    _Alignas(LOCKLAB_PAD) uint64_t count; /* acquisitions */
    uint64_t writes;                      /* of these, exclusive ones */
    uint64_t contended;                   /* of these, those that had to wait: the latency loop */
    uint64_t overlaps;                    /* times that it met somebody else inside */
    uint64_t torn;                        /* times that it saw half an update */
    uint64_t passed; /* most exclusive sections of others while it waited for one of its own */
    uint64_t wall_ns;
    uint64_t cpu_ns;
    double turn_ns;                  /* of locklab_spend(), just before and just after: the longer */
    struct locklab_samples *samples; /* where a loop that samples puts its times, else unused */
    int error;                       /* errno of pinning, or 0 */
};

/* The name of a kernel's loop: LOCKLAB_NAME(locklab_validate_, mcs). */
#define LOCKLAB_PASTE(a, b) a##b
#define LOCKLAB_NAME(prefix, kernel) LOCKLAB_PASTE(prefix, kernel)

struct locklab_loop {
    void *(*prepare)(unsigned threads); /* fresh state, every node set up; NULL and errno */
    void (*work)(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally);
    uint64_t (*updates)(const void *state); /* the counter that exclusive sections count up */
    void (*dispose)(void *state);
    bool has_read;
};

/* Locks, the data structures that they guard, probes of the machine, and whole workloads. */
enum locklab_kind { LOCKLAB_LOCK, LOCKLAB_STRUCTURE, LOCKLAB_PROBE, LOCKLAB_WORKLOAD };

enum locklab_loop_name { LOCKLAB_VALIDATE, LOCKLAB_THROUGHPUT, LOCKLAB_LATENCY, LOCKLAB_TORTURE, LOCKLAB_LOOPS };

struct locklab_kernel {
    const char *name;
    enum locklab_kind kind;
    const struct locklab_loop *loops[LOCKLAB_LOOPS]; /* NULL: it has no such loop */
};

/* NULL when there is none with this number or name. */
const struct locklab_kernel *locklab_kernel_at(unsigned number);
const struct locklab_kernel *locklab_kernel_find(const char *name);

struct locklab_plan {
    unsigned threads;
    const int *cpus;      /* one for each thread, or NULL: not pinned */
    uint64_t iterations;  /* for each thread */
    uint64_t warmup_ns;   /* with a duration: run so long before, on the same state, uncounted */
    uint64_t duration_ns; /* > 0: set the stop flag after this time */
    uint64_t patience_ns; /* > 0: give up when it takes so much longer */
    bool read;
    struct locklab_mix mix;
    bool (*interrupted)(void); /* asked after a signal: give up? NULL: never */
};

enum locklab_stage {
    LOCKLAB_DONE,
    LOCKLAB_NO_MEMORY,   /* or what else prepare() could not get: errno says */
    LOCKLAB_NO_THREAD,   /* `thread` threads exist, the next could not be created */
    LOCKLAB_NOT_PINNED,  /* `thread` could not be pinned */
    LOCKLAB_INTERRUPTED, /* given up after a signal */
    LOCKLAB_STUCK,       /* given up after patience_ns */
};

struct locklab_outcome {
    enum locklab_stage stage;
    unsigned thread;
    int error; /* errno */
    uint64_t updates;
};

/* Runs a plan once, on fresh state. `tallies` has plan->threads elements, from
 * locklab_tallies_new(): what they hold from before is forgotten, their memory for samples stays. */
struct locklab_outcome locklab_run(const struct locklab_loop *loop, const struct locklab_plan *plan,
                                   struct locklab_tally *tallies);

/* With memory for samples, or without; NULL: no memory. */
struct locklab_tally *locklab_tallies_new(unsigned threads, bool sampled);
void locklab_tallies_free(struct locklab_tally *tallies);

#endif
