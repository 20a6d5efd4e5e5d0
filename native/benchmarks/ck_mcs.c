/* SPDX-License-Identifier: MIT */
/* Concurrency Kit's MCS lock, joined to our harness. */
#define _GNU_SOURCE
#include <ck_spinlock.h>

#define KERNEL ck_mcs
#define LOCK ck_spinlock_mcs_t
#define NODE struct ck_spinlock_mcs
#define INIT(lock) ck_spinlock_mcs_init(lock)
#define ACQUIRE(lock, node) ck_spinlock_mcs_lock(lock, node)
#define RELEASE(lock, node) ck_spinlock_mcs_unlock(lock, node)

#include LOCKLAB_LOOP
