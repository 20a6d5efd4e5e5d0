/* SPDX-License-Identifier: MIT */
/*
 * The harness: threads that start together, do the work of a kernel, and report their counts.
 *
 * A kernel is a lock inlined into loops such as `validate` and `throughput`. Each loop is written
 * once and compiled for each lock as its own translation unit, without link-time optimisation: when
 * gcc 12 saw both ends, it hoisted the load of a static counter across the acquire of a correct
 * lock. locklab_run() starts the threads and the clocks; the loops do neither.
 */
#ifndef LOCKLAB_HARNESS_H
#define LOCKLAB_HARNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "locklab/arch.h"

/* Uses a value, so that the compiler keeps the code that computes it, and the loop around that. */
static inline void locklab_use(uint64_t value)
{
    __asm__ volatile("" : : "r"(value));
}

/* Two lines: the hardware may fetch lines in pairs. */
#define LOCKLAB_PAD (2 * LOCKLAB_LINE)

/* The work of a thread beside taking the lock, in loops that use it. All zero: none. */
struct locklab_mix {
    uint32_t hold;        /* iterations of locklab_spend() inside a section */
    uint32_t think;       /* iterations between two sections */
    uint32_t write_share; /* of 65536 sections, how many write; where there is a read side */
    uint32_t option;      /* for a data structure or workload; its source says what it means */
    uint64_t seed;
};

/* The orders of one thread. A loop uses either `iterations` or `stop`. */
struct locklab_order {
    uint64_t iterations;
    const atomic_bool *stop;
    bool read; /* take the read side */
    struct locklab_mix mix;
};

struct locklab_samples; /* harness/samples.h */

/* The counts of one thread. Each has its own cache lines. */
struct locklab_tally {
    _Alignas(LOCKLAB_PAD) uint64_t count; /* acquisitions */
    uint64_t writes;                      /* of these, exclusive ones */
    uint64_t contended;                   /* of these, those that had to wait: the latency loop */
    uint64_t overlaps;                    /* times that it met another thread inside */
    uint64_t torn;                        /* times that it saw half an update */
    uint64_t passed; /* most exclusive sections of others while it waited for one of its own */
    uint64_t wall_ns;
    uint64_t cpu_ns;
    double turn_ns;                  /* an iteration of locklab_spend(), just before or just after: the longer */
    struct locklab_samples *samples; /* the times of a loop that samples; unused otherwise */
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
    uint64_t patience_ns; /* > 0: give up when it takes longer by this time */
    uint64_t quiet_ps;    /* > 0: begin when an iteration of locklab_spend() takes no longer */
    bool read;
    struct locklab_mix mix;
};

enum locklab_stage {
    LOCKLAB_DONE,
    LOCKLAB_NO_MEMORY,  /* or another thing that prepare() could not get: see errno */
    LOCKLAB_NO_THREAD,  /* `thread` threads exist, the next could not be created */
    LOCKLAB_NOT_PINNED, /* `thread` could not be pinned */
    LOCKLAB_STUCK,      /* given up after patience_ns */
};

struct locklab_outcome {
    enum locklab_stage stage;
    unsigned thread;
    int error; /* errno */
    uint64_t updates;
};

/* Runs a plan once, on fresh state. `tallies` has plan->threads elements, from
 * locklab_tallies_new(): their old counts are cleared, their memory for samples stays. */
struct locklab_outcome locklab_run(const struct locklab_loop *loop, const struct locklab_plan *plan,
                                   struct locklab_tally *tallies);

/* With memory for samples, or without; NULL: no memory. */
struct locklab_tally *locklab_tallies_new(unsigned threads, bool sampled);

#endif
