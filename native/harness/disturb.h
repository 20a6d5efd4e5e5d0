/* SPDX-License-Identifier: MIT */
/*
 * A thread that is made late, at random moments, wherever it is.
 *
 * A wrong lock is wrong in a window of a few instructions, and two threads rarely meet there. A
 * timer of its own interrupts the thread every 20 to 200 us, between any two instructions of
 * acquire and release, and holds it up for a while: mostly some microseconds, sometimes until
 * others have had its CPU. Waiters, which a timer meets most of the time, are late in
 * locklab_rough_pause() too.
 */
#ifndef LOCKLAB_HARNESS_DISTURB_H
#define LOCKLAB_HARNESS_DISTURB_H

#include <stdint.h>

/* The calling thread, from here to the end. Without a timer (none is left): waits only. */
void locklab_disturb_begin(uint64_t seed);
void locklab_disturb_end(void);

#endif
