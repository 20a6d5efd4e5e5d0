/* SPDX-License-Identifier: MIT */
/* Threads that sleep on words: what the explorer makes of futex calls. CASE chooses one. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "locklab/explore.h"

static _Atomic(uint32_t) word, words[32];
static int data;

static long sleep_while(_Atomic(uint32_t) *at, uint32_t value)
{
    return syscall(SYS_futex, at, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void wake(_Atomic(uint32_t) *at, int most)
{
    syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
}

static uint32_t get(_Atomic(uint32_t) *at)
{
    return atomic_load_explicit(at, memory_order_acquire);
}

static void put(_Atomic(uint32_t) *at, uint32_t value)
{
    atomic_store_explicit(at, value, memory_order_release);
}

void locklab_thread(int me)
{
#if CASE == 1 /* sleeps while the word is 0, and looks again */
    if (me == 0) {
        data = 42;
        put(&word, 1);
        wake(&word, 1);
    } else {
        while (get(&word) == 0)
            sleep_while(&word, 0);
        locklab_assert(data == 42);
    }
#elif CASE == 2 /* does not look again: only a wait that ends for no reason shows it */
    if (me == 0) {
        put(&word, 1);
        wake(&word, 1);
    } else {
        if (get(&word) == 0)
            sleep_while(&word, 0);
        locklab_assert(get(&word) == 1);
    }
#elif CASE == 3 /* wakes before it changes the word */
    if (me == 0) {
        wake(&word, 1);
        put(&word, 1);
    } else {
        while (get(&word) == 0)
            sleep_while(&word, 0);
    }
#elif CASE == 4 /* MOST of two sleepers are woken */
    if (me == 0) {
        put(&word, 1);
        wake(&word, MOST);
    } else {
        while (get(&word) == 0)
            sleep_while(&word, 0);
    }
#elif CASE == 5 /* another value: no sleep, and the reason */
    (void)me;
    locklab_assert(sleep_while(&word, 1) == -1 && errno == EAGAIN);
#elif CASE == 6 /* each thread sleeps on a word of its own, and wakes the other */
    put(&words[1 - me], 1);
    wake(&words[1 - me], 1);
    while (get(&words[me]) == 0)
        sleep_while(&words[me], 0);
#elif CASE == 7 /* two words with one bucket */
    wake(&words[16 * me], 1);
#elif CASE == 8 /* nothing wakes it but time */
    const struct timespec soon = {.tv_nsec = 1};

    (void)me;
    locklab_assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &soon, NULL, 0) == -1);
    locklab_assert(errno == ETIMEDOUT);
#elif CASE == 9 /* another system call */
    (void)me;
    syscall(SYS_gettid);
#endif
}
