/* SPDX-License-Identifier: MIT */
/* A word that counts readers; its highest value means a writer. */
#include "rwlock.h"

#include <stdatomic.h>

#define WRITER UINT32_MAX

static _Atomic(uint32_t) state;

void rwlock_init(void)
{
    atomic_init(&state, 0);
}

void rwlock_read_acquire(unsigned me)
{
    uint32_t readers = atomic_load_explicit(&state, memory_order_relaxed);

    (void)me;
    while (readers == WRITER ||
           !atomic_compare_exchange_strong_explicit(&state, &readers, readers + 1,
                                                    memory_order_acquire, memory_order_relaxed)) {
        locklab_relax();
        readers = atomic_load_explicit(&state, memory_order_relaxed);
    }
}

void rwlock_read_release(unsigned me)
{
    (void)me;
    atomic_fetch_sub_explicit(&state, 1, memory_order_release);
}

void rwlock_write_acquire(unsigned me)
{
    uint32_t nobody = 0;

    (void)me;
    while (!atomic_compare_exchange_strong_explicit(&state, &nobody, WRITER, memory_order_acquire,
                                                    memory_order_relaxed)) {
        locklab_relax();
        nobody = 0;
    }
}

void rwlock_write_release(unsigned me)
{
    (void)me;
    atomic_store_explicit(&state, 0, memory_order_release);
}
