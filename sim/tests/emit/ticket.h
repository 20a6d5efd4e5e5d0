/* SPDX-License-Identifier: MIT */
/*
 * FIFO spinlock (Mellor-Crummey and Scott, ACM TOCS 9(1), 1991; Linux x86, 2.6.25 to 4.1).
 *
 * Made from ticket.py by LockLab; change that, not this.
 */
#ifndef TICKET_LOCK_EMITTED_H
#define TICKET_LOCK_EMITTED_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "locklab/language.h"

struct ticket_lock {
    _Atomic(int64_t) next_ticket;
    _Atomic(int64_t) now_serving;
};

static inline void ticket_lock_acquire(struct ticket_lock *self)
{
    int64_t ticket = atomic_fetch_add_explicit(&self->next_ticket, 1,          /* ticket.py:36 */
            memory_order_relaxed);
    while (atomic_load_explicit(&self->now_serving,                            /* ticket.py:37 */
            memory_order_acquire) != ticket)
        locklab_pause();                                                       /* ticket.py:38 */
}

static inline int64_t ticket_lock_try_acquire(struct ticket_lock *self)
{
    /*
     * The acquiring load meets the last holder's release; the swap only claims the number,
     * and it can succeed only while no thread has taken that number.
     */
    int64_t ticket = atomic_load_explicit(&self->now_serving,                  /* ticket.py:43 */
            memory_order_acquire);
    int64_t old = locklab_compare_swap(&self->next_ticket, ticket,             /* ticket.py:44 */
            ticket + 1, memory_order_relaxed);
    return old == ticket;                                                      /* ticket.py:45 */
}

static inline void ticket_lock_release(struct ticket_lock *self)
{
    int64_t served = atomic_load_explicit(&self->now_serving,                  /* ticket.py:48 */
            memory_order_relaxed);
    atomic_store_explicit(&self->now_serving, served + 1,                      /* ticket.py:49 */
            memory_order_release);
}

static inline void ticket_lock_init(struct ticket_lock *self)
{
    atomic_init(&self->next_ticket, 0);
    atomic_init(&self->now_serving, 0);
}

#endif
