/* SPDX-License-Identifier: MIT */
/*
 * The access vector cache of Linux 2.6.8: one spinlock round everything.
 *
 * Cost. A hit moves the lock's line, and the entry's as well where the mark is stored on every
 * hit: contended, the critical section gets longer although its code does not change.
 *
 * Source: Linux 2.6.8, security/selinux/avc.c. The kernel's lock also turns interrupts off.
 */
#ifndef LOCKLAB_AVC_SPINLOCK_H
#define LOCKLAB_AVC_SPINLOCK_H

#include "locklab/ttas.h"

#define LOCKLAB_AVC_LOCK struct locklab_ttas
#define LOCKLAB_AVC_LOCK_INIT(lock) locklab_ttas_init(lock)
#define LOCKLAB_AVC_READ_ACQUIRE(lock) locklab_ttas_acquire(lock)
#define LOCKLAB_AVC_READ_RELEASE(lock) locklab_ttas_release(lock)
#define LOCKLAB_AVC_WRITE_ACQUIRE(lock) locklab_ttas_acquire(lock)
#define LOCKLAB_AVC_WRITE_RELEASE(lock) locklab_ttas_release(lock)

#include "locklab/structures/avc_pool.h"

#endif
