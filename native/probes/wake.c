/* SPDX-License-Identifier: MIT */
/*
 * Threads that sleep in turn: each wakes the next one through a futex and then sleeps.
 *
 * wall_ns / (sum of counts) is the time from one thread's waking call to the other's first
 * instruction: the wake-up, and the switch to the thread that it wakes. Two threads on one CPU show
 * it without the time in which another CPU leaves its idle loop.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROBE wake
#include "probes/pair.h"

/* The futex is the low half of the word: 32 bits are what the kernel compares. */
static long futex(_Atomic(uint64_t) *word, int operation, uint32_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return syscall(SYS_futex, (uint32_t *)word, operation | FUTEX_PRIVATE_FLAG, value, NULL);
#else
    return syscall(SYS_futex, (uint32_t *)word + 1, operation | FUTEX_PRIVATE_FLAG, value, NULL);
#endif
}

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct pair *pair = state;
    uint64_t mine = pair_turn(pair, thread);
    uint64_t count = 0;

    while (pair_goes_on(order)) {
        uint64_t seen = atomic_load_explicit(&pair->word, memory_order_acquire);

        if (seen != mine) {
            futex(&pair->word, FUTEX_WAIT, (uint32_t)seen);
            continue;
        }
        atomic_store_explicit(&pair->word, mine + 1, memory_order_release);
        futex(&pair->word, FUTEX_WAKE, INT_MAX);
        mine += pair->threads;
        count++;
    }
    /* A thread that sleeps must be woken, and one that is about to sleep must find another number. */
    atomic_fetch_add_explicit(&pair->word, pair->threads, memory_order_acq_rel);
    futex(&pair->word, FUTEX_WAKE, INT_MAX);
    tally->count = count;
}
