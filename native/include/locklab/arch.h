/* SPDX-License-Identifier: MIT */
/*
 * What every lock needs from the machine: the size of a cache line, and a way to spin.
 *
 * LOCKLAB_LINE is the unit in which memory moves between CPUs, in bytes. Data that one thread or
 * one CPU has for itself begins on a line of its own: the nodes of mcs.h, clh.h and qspinlock.h,
 * and the locks in brlock.h. Every other lock is as small as in the kernel: its words share a line
 * with each other, and with the data that is put beside it. To prevent that, align the lock:
 * _Alignas(LOCKLAB_LINE).
 *
 * locklab_pause() goes into every waiting loop; a lock has no other way to wait. It is a hint to
 * the core that this is a spin (x86 `pause`, Arm `yield`); it orders nothing. A program that runs
 * more threads than CPUs, or that counts the waiters, defines LOCKLAB_PAUSE() before it includes a
 * lock, and so decides itself how its threads wait.
 *
 * locklab_spend() is private work: what a thread does between two sections, or while it stays away
 * from a lock.
 */
#ifndef LOCKLAB_ARCH_H
#define LOCKLAB_ARCH_H

#include <stdint.h>

#ifndef LOCKLAB_LINE
#define LOCKLAB_LINE 64
#endif

/* A hint to the core that this is a spin. */
static inline void locklab_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ __volatile__("yield");
#endif
}

static inline void locklab_pause(void)
{
#if defined(LOCKLAB_PAUSE)
    LOCKLAB_PAUSE();
#else
    locklab_relax();
#endif
}

/* Private work, so many iterations: it touches no memory, and a compiler cannot leave it out. */
static inline void locklab_spend(uint32_t turns)
{
    for (; turns > 0; turns--)
        __asm__ __volatile__("" : "+r"(turns));
}

#endif
