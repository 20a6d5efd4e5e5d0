/* SPDX-License-Identifier: MIT */
/* liburcu's flavour by quiescent states, for the explorer. */
#ifndef LOCKLAB_URCU_QSBR_H
#define LOCKLAB_URCU_QSBR_H
#define LOCKLAB_RCU_QSBR
#include <urcu/explored.h>

#define urcu_qsbr_register_thread() rcu_register_thread()
#define urcu_qsbr_unregister_thread() rcu_unregister_thread()
#define urcu_qsbr_read_lock() rcu_read_lock()
#define urcu_qsbr_read_unlock() rcu_read_unlock()
#define urcu_qsbr_quiescent_state() rcu_quiescent_state()
#define urcu_qsbr_thread_offline() rcu_thread_offline()
#define urcu_qsbr_thread_online() rcu_thread_online()
#define urcu_qsbr_barrier() rcu_barrier()
#define urcu_qsbr_init() rcu_init()
#define urcu_qsbr_synchronize_rcu() synchronize_rcu()
#define urcu_qsbr_call_rcu(head, func) call_rcu(head, func)
#endif
