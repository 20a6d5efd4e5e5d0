/* SPDX-License-Identifier: MIT */
/*
 * Delays a thread at random moments, wherever it is.
 *
 * A wrong lock is wrong in a window of a few instructions, and two threads rarely meet there. So
 * each thread has a timer that interrupts it every 20 to 200 us, between any two instructions of
 * acquire and release. The handler delays the thread: mostly for some microseconds, sometimes until other
 * threads have used its CPU. A timer mostly hits waiting threads; locklab_rough_pause() delays
 * waiters too.
 */
#ifndef LOCKLAB_HARNESS_DISTURB_H
#define LOCKLAB_HARNESS_DISTURB_H

#include <stdint.h>

/* Delays the calling thread from here to the end; only in its waits if no timer is left. */
void locklab_disturb_begin(uint64_t seed);
void locklab_disturb_end(void);

#endif
