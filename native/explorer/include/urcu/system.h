/* SPDX-License-Identifier: MIT */
/* liburcu's shared accesses, for the explorer: relaxed atomics. */
#ifndef _URCU_SYSTEM_H
#define _URCU_SYSTEM_H

#include <urcu/arch.h>

#define CMM_LOAD_SHARED(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define CMM_STORE_SHARED(word, value)                                                              \
    __extension__({                                                                                \
        __typeof__(value) _stored = (value);                                                       \
        __atomic_store_n(&(word), _stored, __ATOMIC_RELAXED);                                      \
        _stored;                                                                                   \
    })
#define _CMM_STORE_SHARED(word, value) CMM_STORE_SHARED(word, value)
#define _CMM_LOAD_SHARED(word) CMM_LOAD_SHARED(word)
#define CMM_ACCESS_ONCE(word) (*(volatile __typeof__(word) *)&(word))

#endif
