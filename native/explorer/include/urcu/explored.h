/* SPDX-License-Identifier: MIT */
/*
 * liburcu's API for the explorer (../rcu.c): what <urcu.h> and its flavours become.
 *
 * Pointers are published by a release store and read by a consuming load, as the library promises
 * them; grace periods, registration and callbacks are the explorer's. CMM_LOAD_SHARED and
 * CMM_STORE_SHARED are relaxed atomics. Lists (urcu/list.h, urcu/rculist.h) are the installed
 * library's own, on top of this.
 *
 * Before it is included, LOCKLAB_RCU_REGISTERS says whether readers have to register.
 */
#ifndef LOCKLAB_URCU_EXPLORED_H
#define LOCKLAB_URCU_EXPLORED_H

#include <stdbool.h>
#include <stddef.h>

#include <urcu/compiler.h>
#include <urcu/pointer.h>
#include <urcu/system.h>
#include <urcu/uatomic.h>

void locklab_rcu_register(void);
void locklab_rcu_unregister(void);
void locklab_rcu_read_lock(bool needs_registration);
void locklab_rcu_read_unlock(void);
void locklab_rcu_quiescent(void);
void locklab_rcu_synchronize(void);
void locklab_rcu_call(void *head, void (*function)(void *head));
void locklab_rcu_barrier(void);

struct rcu_head {
    struct rcu_head *next;
    void (*func)(struct rcu_head *head);
};

static inline void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
    locklab_rcu_call(head, (void (*)(void *))func);
}

#define rcu_barrier() locklab_rcu_barrier()
#define rcu_init() ((void)0)

#if defined(LOCKLAB_RCU_QSBR)
/* A registered thread reads all the time, except where it says that it does not. */
#define rcu_register_thread() (locklab_rcu_register(), locklab_rcu_read_lock(true))
#define rcu_unregister_thread() (locklab_rcu_read_unlock(), locklab_rcu_unregister())
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)
#define rcu_quiescent_state() locklab_rcu_quiescent()
#define rcu_thread_offline() locklab_rcu_read_unlock()
#define rcu_thread_online() locklab_rcu_read_lock(true)
#define synchronize_rcu() locklab_rcu_qsbr_synchronize()
bool locklab_rcu_is_reading(void);

static inline void locklab_rcu_qsbr_synchronize(void)
{
    bool reads = locklab_rcu_is_reading();

    if (reads)
        locklab_rcu_read_unlock();
    locklab_rcu_synchronize();
    if (reads)
        locklab_rcu_read_lock(true);
}
#else
#define rcu_register_thread() locklab_rcu_register()
#define rcu_unregister_thread() locklab_rcu_unregister()
#define rcu_read_lock() locklab_rcu_read_lock(LOCKLAB_RCU_REGISTERS)
#define rcu_read_unlock() locklab_rcu_read_unlock()
#define rcu_quiescent_state() ((void)0)
#define rcu_thread_offline() ((void)0)
#define rcu_thread_online() ((void)0)
#define synchronize_rcu() locklab_rcu_synchronize()
#endif

#endif
