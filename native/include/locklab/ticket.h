/* SPDX-License-Identifier: MIT */
/*
 * Ticket lock: take a number, wait until it is served.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/ticket.py.
 *
 * In C. The fetch-and-add is `lock xadd` on x86. Both words wrap around, and only equality is
 * asked: no number is given twice among the threads that hold or wait, as long as there are fewer
 * than 2^32.
 *
 * What it is not. It is not local: all waiters read one word, so each release fetches the line
 * N - 1 times. First come, first served is expensive when the next in line is not running: never
 * use it with more threads than CPUs.
 *
 * Source: Mellor-Crummey and Scott, ACM TOCS 9(1), 1991, algorithm 2; Linux x86, 2.6.25 to 4.1.
 */
#ifndef LOCKLAB_TICKET_H
#define LOCKLAB_TICKET_H

#include <stdatomic.h>
#include <stdint.h>

#include "locklab/arch.h"

struct locklab_ticket {
    _Atomic(uint32_t) next_ticket;
    _Atomic(uint32_t) now_serving;
};

static inline void locklab_ticket_init(struct locklab_ticket *lock)
{
    atomic_init(&lock->next_ticket, 0);
    atomic_init(&lock->now_serving, 0);
}

static inline void locklab_ticket_acquire(struct locklab_ticket *lock)
{
    /* Relaxed: the load below is what meets the last holder's release. */
    uint32_t ticket = atomic_fetch_add_explicit(&lock->next_ticket, 1, memory_order_relaxed);

    while (atomic_load_explicit(&lock->now_serving, memory_order_acquire) != ticket)
        locklab_pause();
}

static inline void locklab_ticket_release(struct locklab_ticket *lock)
{
    uint32_t served = atomic_load_explicit(&lock->now_serving, memory_order_relaxed);

    atomic_store_explicit(&lock->now_serving, served + 1, memory_order_release);
}

#endif
