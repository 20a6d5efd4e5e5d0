/* SPDX-License-Identifier: MIT */
/*
 * How threads wait. Included before a lock's header.
 *
 * Timed loops spin as the lock itself says. Loops that validate may have more threads than CPUs,
 * or share a busy machine; there a waiter gives its CPU away now and then. Otherwise a queue lock
 * waits a whole time slice for each successor that is not running. It also leaves the loop when the
 * run is given up, because a wrong lock may let nobody in any more.
 */
#ifndef LOCKLAB_HARNESS_PAUSE_H
#define LOCKLAB_HARNESS_PAUSE_H

#ifdef LOCKLAB_POLITE
void locklab_polite_pause(void);
#define LOCKLAB_PAUSE() locklab_polite_pause()
#endif

#endif
