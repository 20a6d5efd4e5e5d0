/* SPDX-License-Identifier: MIT */
/* liburcu's pointers, for the explorer. */
#ifndef _URCU_POINTER_H
#define _URCU_POINTER_H

#include <urcu/system.h>

#define rcu_dereference(pointer) __atomic_load_n(&(pointer), __ATOMIC_CONSUME)
#define rcu_assign_pointer(pointer, value)                                                         \
    do {                                                                                           \
        __typeof__(pointer) _assigned = (value);                                                   \
        __atomic_store_n(&(pointer), _assigned, __ATOMIC_RELEASE);                                 \
    } while (0)
#define rcu_set_pointer(pointer, value) rcu_assign_pointer(*(pointer), value)
#define rcu_xchg_pointer(pointer, value) __atomic_exchange_n(pointer, value, __ATOMIC_ACQ_REL)
#define rcu_cmpxchg_pointer(pointer, old, value)                                                   \
    __extension__({                                                                                \
        __typeof__(*(pointer)) _old = (old);                                                       \
        __atomic_compare_exchange_n(pointer, &_old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        _old;                                                                                      \
    })

#endif
