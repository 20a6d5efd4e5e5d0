/* SPDX-License-Identifier: MIT */
/*
 * One lockref: a lock and a reference count of one object. What a submission defines.
 *
 * At the beginning there is one reference, the maker's; later there may be thousands at once.
 * Counting should seldom need the lock.
 */
#ifndef LOCKREF_H
#define LOCKREF_H

#include <stdbool.h>
#include <stdint.h>

/* Call it in each iteration of a loop that waits. */
void locklab_relax(void);

/* Before any other call, by one thread: one reference, unlocked. */
void lockref_init(void);

/* While a thread holds the lock the count stands still. */
void lockref_lock(void);
void lockref_unlock(void);

/* Only under the lock: how many references there are; negative when the object is dead. */
int32_t lockref_count(void);

/* The caller has a reference, and gets one more. */
void lockref_get(void);

/* Returns how many references are left. With 0 the object is the caller's alone: all that others did
 * with it is visible. */
uint32_t lockref_put(void);

/* For a caller without a reference. False: the count is 0, or the object is dead. */
bool lockref_get_not_zero(void);

/* Puts a reference that is not the last. False: it is the last; the caller keeps it, and holds the
 * lock. */
bool lockref_put_or_lock(void);

/* Only under the lock. From now on get_not_zero is false. */
void lockref_mark_dead(void);

#endif
