/* SPDX-License-Identifier: MIT */
/*
 * How threads wait. Included before a lock's header.
 *
 * Timed loops spin as the lock itself says. Loops that validate may have more threads than CPUs,
 * or share a busy machine; there a waiter gives its CPU away now and then. Otherwise a queue lock
 * waits a whole time slice for each successor that is not running.
 *
 * The torture loop wants waiters to be late, now and then, at random (disturb.h).
 *
 * The latency loop wants to know whether an acquisition had to wait. A lock waits by
 * locklab_pause() and by nothing else, so the first pause of an acquisition tells.
 */
#ifndef LOCKLAB_HARNESS_PAUSE_H
#define LOCKLAB_HARNESS_PAUSE_H

#if defined(LOCKLAB_POLITE)
void locklab_polite_pause(void);
#define LOCKLAB_PAUSE() locklab_polite_pause()
#elif defined(LOCKLAB_ROUGH)
void locklab_rough_pause(void);
#define LOCKLAB_PAUSE() locklab_rough_pause()
#elif defined(LOCKLAB_COUNT_WAITS)
#include <stdbool.h>
/* Initial-exec: one instruction, also inside a shared object. */
static __attribute__((tls_model("initial-exec"))) _Thread_local bool locklab_waited;
#define LOCKLAB_PAUSE() (locklab_waited = true, locklab_relax())
#endif

#endif
