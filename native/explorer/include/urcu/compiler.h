/* SPDX-License-Identifier: MIT */
/* liburcu's small macros, for the explorer. */
#ifndef _URCU_COMPILER_H
#define _URCU_COMPILER_H

#include <stddef.h>

#define caa_likely(condition) __builtin_expect(!!(condition), 1)
#define caa_unlikely(condition) __builtin_expect(!!(condition), 0)
#define caa_max(a, b) ((a) > (b) ? (a) : (b))
#define caa_min(a, b) ((a) < (b) ? (a) : (b))
#define caa_container_of(pointer, type, member)                                                    \
    ((type *)((char *)(pointer) - offsetof(type, member)))
#define cmm_barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
