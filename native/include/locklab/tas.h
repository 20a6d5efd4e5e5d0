/* SPDX-License-Identifier: MIT */
/*
 * Test-and-set lock: exchange the word until the old value says that it was free.
 * Mechanism, invariants, cost and history: sim/locksim/library/locks/tas.py.
 *
 * In C. The exchange becomes `xchg` on x86 and `swpa` or a load-exclusive loop on Arm. It acquires;
 * the store of release releases.
 *
 * What it is not. It is not fair: the core that releases still owns the line and often takes the
 * lock again, so on two CPUs it looks fast while one of them waits. It is not quiet: every attempt
 * of every waiter takes the line for writing.
 *
 * Source: Anderson, IEEE TPDS 1(1), 1990, section 2.
 */
#ifndef LOCKLAB_TAS_H
#define LOCKLAB_TAS_H

#include <stdatomic.h>
#include <stdint.h>

#include "locklab/arch.h"

struct locklab_tas {
    _Atomic(uint32_t) locked;
};

static inline void locklab_tas_init(struct locklab_tas *lock)
{
    atomic_init(&lock->locked, 0);
}

static inline void locklab_tas_acquire(struct locklab_tas *lock)
{
    while (atomic_exchange_explicit(&lock->locked, 1, memory_order_acquire) != 0)
        locklab_pause();
}

static inline void locklab_tas_release(struct locklab_tas *lock)
{
    atomic_store_explicit(&lock->locked, 0, memory_order_release);
}

#endif
