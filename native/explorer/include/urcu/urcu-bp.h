/* SPDX-License-Identifier: MIT */
/* liburcu's bulletproof flavour, for the explorer: readers need not register. */
#ifndef LOCKLAB_URCU_BP_H
#define LOCKLAB_URCU_BP_H
#define LOCKLAB_RCU_REGISTERS false
#include <urcu/explored.h>

#define urcu_bp_register_thread() rcu_register_thread()
#define urcu_bp_unregister_thread() rcu_unregister_thread()
#define urcu_bp_read_lock() rcu_read_lock()
#define urcu_bp_read_unlock() rcu_read_unlock()
#define urcu_bp_quiescent_state() rcu_quiescent_state()
#define urcu_bp_thread_offline() rcu_thread_offline()
#define urcu_bp_thread_online() rcu_thread_online()
#define urcu_bp_barrier() rcu_barrier()
#define urcu_bp_init() rcu_init()
#define urcu_bp_synchronize_rcu() synchronize_rcu()
#define urcu_bp_call_rcu(head, func) call_rcu(head, func)
#endif
