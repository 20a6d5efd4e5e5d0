/* SPDX-License-Identifier: MIT */
/*
 * One spinlock: what a submission defines.
 *
 * A thread has a number `me` below SPINLOCK_THREADS, so that a queue lock can keep a node for each.
 * It acquires the lock only while it does not hold it.
 */
#ifndef SPINLOCK_H
#define SPINLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { SPINLOCK_THREADS = 8 };

/* Call it in each iteration of a loop that waits. */
void locklab_relax(void);

/* Before any other call, by one thread. */
void spinlock_init(void);

/* Waits until the thread holds the lock. All that earlier holders did is then visible. */
void spinlock_acquire(unsigned me);

/* The next holder sees all that this one did. */
void spinlock_release(unsigned me);

#endif
