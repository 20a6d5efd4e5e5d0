/* SPDX-License-Identifier: MIT */
/*
 * Waiting that can be given up: the work is done in a thread of its own.
 *
 * synchronize_rcu() and its like sleep until the last reader has left, and no signal ends that. So
 * they are called in a thread made for the purpose, and who wants them done waits for that thread
 * in slices, in between which Python may handle Ctrl-C. If the wait is given up, the thread goes on
 * and cleans up after itself.
 */
#ifndef LOCKLAB_URCU_WAITING_H
#define LOCKLAB_URCU_WAITING_H

#include <stdbool.h>

#include "urcu/deferred.h"

struct locklab_urcu_wait;

typedef void (*locklab_urcu_work)(void *argument);

/* The kinds of work. Their argument is NULL, or what is said. */
void locklab_urcu_synchronize(void *unused);
void locklab_urcu_barrier(void *unused);       /* until liburcu has called what call_rcu was given */
void locklab_urcu_defer_barrier(void *unused); /* likewise what defer_rcu was given */
void locklab_urcu_free_worker(void *data);     /* a struct call_rcu_data that no thread uses any more */
void locklab_urcu_resize(void *request);       /* a struct locklab_urcu_resize, which is freed */

/* `kept` is posted when the work is done, waited for or not (NULL: nothing is). NULL: no memory. */
struct locklab_urcu_wait *locklab_urcu_wait_begin(locklab_urcu_work work, void *argument,
                                                  struct locklab_urcu_deferred *kept);

/* True when the work is done, false after so many milliseconds; not to be called with the GIL. */
bool locklab_urcu_wait_for(struct locklab_urcu_wait *wait, unsigned milliseconds);

/* The work is done, or is waited for no longer. */
void locklab_urcu_wait_end(struct locklab_urcu_wait *wait);

/* Whether such work is being done in any thread. */
bool locklab_urcu_waits(void);

#endif
