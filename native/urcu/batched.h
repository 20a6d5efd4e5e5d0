/* SPDX-License-Identifier: MIT */
/*
 * defer_rcu: a thread's own queue of what waits for a grace period, emptied in batches.
 *
 * A thread that defers registers for it, as a reader does for reading. liburcu 0.13 registers a
 * thread once only: it stays on the list until it ends, whether it defers in between or not. A
 * process that ends with a thread on that list aborts in liburcu's destructor; if a thread cannot be
 * taken off, the process ends without destructors here.
 *
 * defer_rcu waits for a grace period itself when its queue (4096 places) is full; here a thread is
 * asked to wait before that, where the wait can be given up (waiting.h).
 */
#ifndef LOCKLAB_URCU_BATCHED_H
#define LOCKLAB_URCU_BATCHED_H

#include <stdbool.h>

#include "urcu/deferred.h"

/* Not to be called with the GIL: another thread's grace period may hold liburcu's lock. */
enum locklab_urcu_status locklab_urcu_start_deferring(void);

/* The thread stays on liburcu's list. */
enum locklab_urcu_status locklab_urcu_stop_deferring(void);

/* Off the list, for good. What is left in the queue is waited for; not to be called with the GIL. */
void locklab_urcu_never_defer_again(void);

bool locklab_urcu_deferring(void);

/* Takes the item over until a grace period has passed. */
enum locklab_urcu_status locklab_urcu_defer_rcu(struct locklab_urcu_deferred *item);

/* It is time for locklab_urcu_defer_barrier; it was done. */
bool locklab_urcu_defer_full(void);
void locklab_urcu_defer_emptied(void);

/* Whether any thread is on the list. */
bool locklab_urcu_deferrers(void);

#endif
