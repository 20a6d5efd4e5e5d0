/* SPDX-License-Identifier: MIT */
/* liburcu's atomics, for the explorer. Those that return a value order everything; the others, and
 * uatomic_read and uatomic_set, order nothing. */
#ifndef _URCU_UATOMIC_H
#define _URCU_UATOMIC_H

#include <urcu/arch.h>

#define uatomic_read(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define uatomic_set(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)
#define uatomic_xchg(at, value) __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST)
#define uatomic_cmpxchg(at, old, value)                                                            \
    __extension__({                                                                                \
        __typeof__(*(at)) _old = (old);                                                            \
        __atomic_compare_exchange_n(at, &_old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
        _old;                                                                                      \
    })
#define uatomic_add_return(at, value) __atomic_add_fetch(at, value, __ATOMIC_SEQ_CST)
#define uatomic_sub_return(at, value) __atomic_sub_fetch(at, value, __ATOMIC_SEQ_CST)
#define uatomic_add(at, value) ((void)__atomic_add_fetch(at, value, __ATOMIC_RELAXED))
#define uatomic_sub(at, value) ((void)__atomic_sub_fetch(at, value, __ATOMIC_RELAXED))
#define uatomic_inc(at) uatomic_add(at, 1)
#define uatomic_dec(at) uatomic_sub(at, 1)
#define uatomic_or(at, value) ((void)__atomic_or_fetch(at, value, __ATOMIC_RELAXED))
#define uatomic_and(at, value) ((void)__atomic_and_fetch(at, value, __ATOMIC_RELAXED))
#define cmm_smp_mb__before_uatomic_add() cmm_mb()
#define cmm_smp_mb__after_uatomic_add() cmm_mb()
#define cmm_smp_mb__before_uatomic_inc() cmm_mb()
#define cmm_smp_mb__after_uatomic_inc() cmm_mb()
#define cmm_smp_mb__before_uatomic_dec() cmm_mb()
#define cmm_smp_mb__after_uatomic_dec() cmm_mb()

#endif
