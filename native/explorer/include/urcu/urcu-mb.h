/* SPDX-License-Identifier: MIT */
/* liburcu's mb flavour, for the explorer. */
#ifndef LOCKLAB_URCU_MB_H
#define LOCKLAB_URCU_MB_H
#define LOCKLAB_RCU_REGISTERS true
#include <urcu/explored.h>

#define urcu_mb_register_thread() rcu_register_thread()
#define urcu_mb_unregister_thread() rcu_unregister_thread()
#define urcu_mb_read_lock() rcu_read_lock()
#define urcu_mb_read_unlock() rcu_read_unlock()
#define urcu_mb_quiescent_state() rcu_quiescent_state()
#define urcu_mb_thread_offline() rcu_thread_offline()
#define urcu_mb_thread_online() rcu_thread_online()
#define urcu_mb_barrier() rcu_barrier()
#define urcu_mb_init() rcu_init()
#define urcu_mb_synchronize_rcu() synchronize_rcu()
#define urcu_mb_call_rcu(head, func) call_rcu(head, func)
#endif
