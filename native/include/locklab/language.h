/* SPDX-License-Identifier: MIT */
/*
 * The environment of a program in the lock language, for programs that were printed as C.
 *
 * Each thread has a struct locklab_thread of its own, with the numbers that cpu(), thread(), node()
 * and n_cpus() give, and with the state of its random numbers. Storage for each CPU has LOCKLAB_CPUS
 * places; a program has to have as many threads at most. Storage for each NUMA node has
 * LOCKLAB_NODES; nodes beyond them share it.
 *
 * Arithmetic is the language's: 64 bits with a sign that wrap round (compile with -fwrapv),
 * division that rounds down, and a remainder with the divisor's sign, as in Python.
 *
 * A compare_swap gives the word's old value. C's own gives whether it succeeded and leaves the old
 * value behind; LOCKLAB_COMPARE_SWAP makes the one from the other, for words of one type. If it
 * fails it is only a load, so of its order the acquiring half remains.
 *
 * Time: locklab_compute() turns picoseconds into iterations of locklab_spend(), LOCKLAB_TURN_PS
 * each. The time of an iteration is the machine's; `locklab-native clock` measures it, and a
 * benchmark of a lock compiles it with that value.
 */
#ifndef LOCKLAB_LANGUAGE_H
#define LOCKLAB_LANGUAGE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "locklab/arch.h"

#ifndef LOCKLAB_CPUS
#define LOCKLAB_CPUS 64
#endif
#ifndef LOCKLAB_NODES
#define LOCKLAB_NODES 8
#endif
#ifndef LOCKLAB_TURN_PS
#define LOCKLAB_TURN_PS 330
#endif

struct locklab_thread {
    int64_t cpu;
    int64_t number;
    int64_t n_cpus;
    uint64_t random; /* never 0 */
    int64_t node;    /* -1: not asked for yet */
};

/* The thread of a number, on a CPU of the same number. */
static inline void locklab_thread_init(struct locklab_thread *thread, int64_t number,
                                       int64_t n_cpus)
{
    /* The golden ratio's fraction: another stream for each thread. */
    uint64_t seed = ((uint64_t)number + 1) * UINT64_C(0x9E3779B97F4A7C15);

    *thread = (struct locklab_thread){number, number, n_cpus, seed | 1, -1};
}

int getcpu(unsigned *cpu, unsigned *node); /* sched.h has it for _GNU_SOURCE only */

/* The node on which the thread was when it asked first: a lock must find the same one when it is
 * released, also if the scheduler has moved the thread meanwhile. */
static inline int64_t locklab_node(struct locklab_thread *thread)
{
    unsigned cpu, node;

    if (thread->node < 0)
        thread->node = getcpu(&cpu, &node) == 0 ? node % LOCKLAB_NODES : 0;
    return thread->node;
}

/* 0 … bound - 1, by Marsaglia's xorshift64*; the bias of the remainder is below bound / 2^32. */
static inline int64_t locklab_random_below(struct locklab_thread *thread, int64_t bound)
{
    thread->random ^= thread->random >> 12;
    thread->random ^= thread->random << 25;
    thread->random ^= thread->random >> 27;
    return (int64_t)(((thread->random * UINT64_C(2685821657736338717)) >> 2) % (uint64_t)bound);
}

static inline int64_t locklab_floor_divide(int64_t a, int64_t b)
{
    int64_t quotient;

    if (b == -1)
        return (int64_t)(0 - (uint64_t)a); /* INT64_MIN / -1 traps on x86; here it wraps */
    quotient = a / b;

    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static inline int64_t locklab_modulo(int64_t a, int64_t b)
{
    int64_t rest = b == -1 ? 0 : a % b; /* INT64_MIN % -1 traps, too */

    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline void locklab_compute(int64_t picoseconds)
{
    int64_t turns = picoseconds / LOCKLAB_TURN_PS;

    for (; turns > UINT32_MAX; turns -= UINT32_MAX)
        locklab_spend(UINT32_MAX);
    locklab_spend((uint32_t)turns);
}

/* Zeroed, on lines of its own; NULL if memory is out. */
static inline void *locklab_zeroed(size_t size)
{
    size_t whole = (size + LOCKLAB_LINE - 1) / LOCKLAB_LINE * LOCKLAB_LINE;
    void *made = aligned_alloc(LOCKLAB_LINE, whole);

    return made == NULL ? NULL : memset(made, 0, whole);
}
#define locklab_new(type) ((type *)locklab_zeroed(sizeof(type)))

/* The order is a constant where this is used, and stays one because it is always inlined. */
#define LOCKLAB_COMPARE_SWAP(name, type)                                                           \
    static inline __attribute__((always_inline)) type name(_Atomic(type) *word, type expected,     \
                                                           type desired, memory_order order)       \
    {                                                                                              \
        memory_order on_failure = order == memory_order_acq_rel   ? memory_order_acquire           \
                                  : order == memory_order_release ? memory_order_relaxed           \
                                                                  : order;                         \
        atomic_compare_exchange_strong_explicit(word, &expected, desired, order, on_failure);      \
        return expected;                                                                           \
    }                                                                                              \
    struct locklab_thread /* takes the semicolon */

LOCKLAB_COMPARE_SWAP(locklab_compare_swap, int64_t);

#endif
