/* SPDX-License-Identifier: MIT */
/*
 * defer_rcu: a thread's own queue of what waits for a grace period, emptied in batches.
 *
 * A thread that defers registers for it, as a reader does for reading. defer_rcu waits for a grace
 * period itself when its queue (4096 places in 0.13) is full; here a thread is asked to wait before
 * that, where the wait can be given up (waiting.h).
 */
#ifndef LOCKLAB_URCU_BATCHED_H
#define LOCKLAB_URCU_BATCHED_H

#include <stdbool.h>

#include "urcu/deferred.h"

/* Not to be called with the GIL: another thread's grace period may hold liburcu's lock. */
enum locklab_urcu_status locklab_urcu_start_deferring(void);

/* Whatever this thread has deferred is posted first; not to be called with the GIL. */
enum locklab_urcu_status locklab_urcu_stop_deferring(void);

bool locklab_urcu_deferring(void);

/* Takes the item over until a grace period has passed. */
enum locklab_urcu_status locklab_urcu_defer_rcu(struct locklab_urcu_deferred *item);

/* It is time for locklab_urcu_defer_barrier; it was done. */
bool locklab_urcu_defer_full(void);
void locklab_urcu_defer_emptied(void);

/* Whether any thread defers. */
bool locklab_urcu_deferrers(void);

#endif
