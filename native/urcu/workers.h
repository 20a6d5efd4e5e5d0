/* SPDX-License-Identifier: MIT */
/*
 * Threads of liburcu's that carry call_rcu's callbacks over a grace period (struct call_rcu_data),
 * for one thread or one CPU in place of the default one.
 *
 * liburcu does not check that no thread uses a worker that is freed: each thread's is noted here, with
 * a count of threads beside the worker. CPUs are the caller's to count.
 */
#ifndef LOCKLAB_URCU_WORKERS_H
#define LOCKLAB_URCU_WORKERS_H

#include <stdbool.h>

#include "urcu/checked.h"

struct locklab_urcu_worker;

/* `cpu` is where its thread runs, -1: anywhere. NULL: no memory. */
struct locklab_urcu_worker *locklab_urcu_worker_new(bool real_time, int cpu);

/* The calling thread's callbacks go to it from now on; NULL: to the CPU's, or the default. */
enum locklab_urcu_status locklab_urcu_use_worker(struct locklab_urcu_worker *worker);

/* The calling thread's, or NULL. */
struct locklab_urcu_worker *locklab_urcu_worker(void);

/* The callbacks of threads without one, when they are on this CPU. NULL: to the default. */
enum locklab_urcu_status locklab_urcu_use_worker_on(int cpu, struct locklab_urcu_worker *worker);

/* What locklab_urcu_free_worker (waiting.h) wants, once; NULL: a thread uses it, or there is
 * nothing left to free, as in the child of a fork. */
void *locklab_urcu_worker_take(struct locklab_urcu_worker *worker);

/* Whether liburcu still has it. */
bool locklab_urcu_worker_is_there(const struct locklab_urcu_worker *worker);

/* What is left when liburcu has it no more, and no thread uses it. */
void locklab_urcu_worker_forget(struct locklab_urcu_worker *worker);

/* In the child of a fork, where liburcu has freed all workers. */
void locklab_urcu_workers_gone(void);

#endif
