/* SPDX-License-Identifier: MIT */
/* liburcu's deferred calls, for the explorer: each after a grace period of its own, as call_rcu's. A
 * barrier waits for those of all threads. */
#ifndef LOCKLAB_URCU_DEFER_H
#define LOCKLAB_URCU_DEFER_H

#include <urcu/explored.h>

#define defer_rcu(function, argument) locklab_rcu_call(argument, function)
#define rcu_defer_barrier() locklab_rcu_barrier()
#define rcu_defer_barrier_thread() locklab_rcu_barrier()
#define rcu_defer_register_thread() 0
#define rcu_defer_unregister_thread() locklab_rcu_barrier()
#define rcu_defer_exit() ((void)0)

#endif
