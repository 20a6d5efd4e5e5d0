/* SPDX-License-Identifier: MIT */
/*
 * How a lock's threads sleep: Linux' futex call, for words of one process.
 *
 * The kernel compares the word and puts the thread to sleep in one step, as seen by whoever wakes.
 * A sleep that ends promises nothing: the word was another one, a thread woke this one, or a signal
 * came. So its caller looks at the word again. Neither call orders the caller's memory accesses.
 * Both may change errno.
 *
 * Source: futex(2); Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks", OLS 2002.
 */
#ifndef LOCKLAB_SLEEP_H
#define LOCKLAB_SLEEP_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Strict C11 hides it in unistd.h. */
long syscall(long number, ...);

/* Sleeps if the word has the expected value. */
static inline void locklab_sleep(_Atomic(uint32_t) *word, uint32_t expected)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

/* Wakes up to so many of those who sleep on the word. */
static inline void locklab_wake(_Atomic(uint32_t) *word, int most)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
}

#endif
