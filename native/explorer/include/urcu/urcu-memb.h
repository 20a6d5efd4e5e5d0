/* SPDX-License-Identifier: MIT */
/* liburcu's memb flavour, for the explorer. */
#ifndef LOCKLAB_URCU_MEMB_H
#define LOCKLAB_URCU_MEMB_H
#define LOCKLAB_RCU_REGISTERS true
#include <urcu/explored.h>

#define urcu_memb_register_thread() rcu_register_thread()
#define urcu_memb_unregister_thread() rcu_unregister_thread()
#define urcu_memb_read_lock() rcu_read_lock()
#define urcu_memb_read_unlock() rcu_read_unlock()
#define urcu_memb_quiescent_state() rcu_quiescent_state()
#define urcu_memb_thread_offline() rcu_thread_offline()
#define urcu_memb_thread_online() rcu_thread_online()
#define urcu_memb_barrier() rcu_barrier()
#define urcu_memb_init() rcu_init()
#define urcu_memb_synchronize_rcu() synchronize_rcu()
#define urcu_memb_call_rcu(head, func) call_rcu(head, func)
#endif
