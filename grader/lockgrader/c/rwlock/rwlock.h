/* SPDX-License-Identifier: MIT */
/*
 * One reader-writer lock: what a submission defines.
 *
 * A thread has a number `me` below RWLOCK_THREADS. It acquires the lock only while it holds neither
 * side.
 */
#ifndef RWLOCK_H
#define RWLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { RWLOCK_THREADS = 8 };

/* Call it in each iteration of a loop that waits. */
void locklab_relax(void);

/* Before any other call, by one thread. */
void rwlock_init(void);

/* Readers are inside together, and never with a writer. */
void rwlock_read_acquire(unsigned me);
void rwlock_read_release(unsigned me);

/* A writer is inside alone. */
void rwlock_write_acquire(unsigned me);
void rwlock_write_release(unsigned me);

#endif
