/* SPDX-License-Identifier: MIT */
/*
 * How threads wait. Included before a lock's header.
 *
 * Timed loops spin as the lock itself does. Loops that validate may have more threads than CPUs,
 * or share a busy machine; there a waiter yields its CPU now and then. Otherwise a queue lock would
 * wait a whole time slice for each successor that is not running.
 *
 * The torture loop delays waiters at random (disturb.h).
 *
 * The latency loop records whether an acquisition had to wait. A lock waits only by
 * locklab_pause(), so the first pause of an acquisition shows it.
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
