/* SPDX-License-Identifier: MIT */
/* liburcu's fences, for the explorer: C11's. */
#ifndef _URCU_ARCH_H
#define _URCU_ARCH_H

#include <urcu/compiler.h>

#define CAA_CACHE_LINE_SIZE 64
#define cmm_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define cmm_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define cmm_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define cmm_smp_mb() cmm_mb()
#define cmm_smp_rmb() cmm_rmb()
#define cmm_smp_wmb() cmm_wmb()
#define cmm_smp_read_barrier_depends() ((void)0)
#define caa_cpu_relax() ((void)0)

#endif
