/* SPDX-License-Identifier: MIT */
/*
 * Queued reader-writer lock: one word for threads that are in, one fair lock for those that wait.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/qrwlock.py.
 *
 * In C. The queue is a ticket lock, whose waiters share a line; Linux's is its queued spinlock.
 * A writer leaves by an atomic subtraction, which C11 can express; Linux stores one byte. There may
 * be no more than 2^23 readers.
 *
 * Why the orders suffice. Getting in is an acquire, getting out a release, and every change of the
 * word is a read-modify-write. The changes in between (taking a reader back, setting WAITING) are
 * relaxed. A head that reads adds itself relaxed and looks with acquire.
 *
 * What it is not. It is not scalable for readers: each one writes the word twice. It is not
 * strictly first come, first served: a reader that arrives while no writer is at the head does not
 * queue.
 *
 * Source: Long, Linux 3.16; kernel/locking/qrwlock.c and include/asm-generic/qrwlock.h as of 5.x.
 */
#ifndef LOCKLAB_QRWLOCK_H
#define LOCKLAB_QRWLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "locklab/arch.h"
#include "locklab/ticket.h"

#define LOCKLAB_QRWLOCK_LOCKED UINT32_C(0x0ff)
#define LOCKLAB_QRWLOCK_WAITING UINT32_C(0x100)
#define LOCKLAB_QRWLOCK_WRITER (LOCKLAB_QRWLOCK_LOCKED | LOCKLAB_QRWLOCK_WAITING)
#define LOCKLAB_QRWLOCK_READER UINT32_C(0x200)

struct locklab_qrwlock {
    _Atomic(uint32_t) state;
    struct locklab_ticket queue;
};

static inline void locklab_qrwlock_init(struct locklab_qrwlock *lock)
{
    atomic_init(&lock->state, 0);
    locklab_ticket_init(&lock->queue);
}

static inline void locklab_qrwlock_read_acquire(struct locklab_qrwlock *lock)
{
    if (!(atomic_fetch_add_explicit(&lock->state, LOCKLAB_QRWLOCK_READER, memory_order_acquire) &
          LOCKLAB_QRWLOCK_WRITER))
        return;
    atomic_fetch_sub_explicit(&lock->state, LOCKLAB_QRWLOCK_READER, memory_order_relaxed);
    locklab_pause();
    locklab_ticket_acquire(&lock->queue);
    atomic_fetch_add_explicit(&lock->state, LOCKLAB_QRWLOCK_READER, memory_order_relaxed);
    while (atomic_load_explicit(&lock->state, memory_order_acquire) & LOCKLAB_QRWLOCK_LOCKED)
        locklab_pause();
    locklab_ticket_release(&lock->queue);
}

static inline void locklab_qrwlock_read_release(struct locklab_qrwlock *lock)
{
    atomic_fetch_sub_explicit(&lock->state, LOCKLAB_QRWLOCK_READER, memory_order_release);
}

/* Swaps LOCKED in for `expected`; nonzero when that was there. */
static inline int locklab_qrwlock_lock_from(struct locklab_qrwlock *lock, uint32_t expected)
{
    return atomic_load_explicit(&lock->state, memory_order_relaxed) == expected &&
           atomic_compare_exchange_strong_explicit(&lock->state, &expected, LOCKLAB_QRWLOCK_LOCKED,
                                                   memory_order_acquire, memory_order_relaxed);
}

static inline void locklab_qrwlock_write_acquire(struct locklab_qrwlock *lock)
{
    uint32_t nobody = 0;

    if (atomic_compare_exchange_strong_explicit(&lock->state, &nobody, LOCKLAB_QRWLOCK_LOCKED,
                                                memory_order_acquire, memory_order_relaxed))
        return;
    locklab_pause();
    locklab_ticket_acquire(&lock->queue);
    if (!locklab_qrwlock_lock_from(lock, 0)) {
        atomic_fetch_or_explicit(&lock->state, LOCKLAB_QRWLOCK_WAITING, memory_order_relaxed);
        while (!locklab_qrwlock_lock_from(lock, LOCKLAB_QRWLOCK_WAITING))
            locklab_pause();
    }
    locklab_ticket_release(&lock->queue);
}

static inline void locklab_qrwlock_write_release(struct locklab_qrwlock *lock)
{
    atomic_fetch_sub_explicit(&lock->state, LOCKLAB_QRWLOCK_LOCKED, memory_order_release);
}

#endif
