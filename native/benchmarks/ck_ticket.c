/* SPDX-License-Identifier: MIT */
/* Concurrency Kit's ticket lock, joined to our harness. */
#define _GNU_SOURCE
#include <ck_spinlock.h>

#define KERNEL ck_ticket
#define LOCK ck_spinlock_ticket_t
#define INIT(lock) ck_spinlock_ticket_init(lock)
#define ACQUIRE(lock, node) ck_spinlock_ticket_lock(lock)
#define RELEASE(lock, node) ck_spinlock_ticket_unlock(lock)

#include LOCKLAB_LOOP
