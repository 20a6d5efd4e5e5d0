/* SPDX-License-Identifier: MIT */
/*
 * Futexes for the explorer: what syscall(SYS_futex, …) becomes where <linux/futex.h> is included.
 *
 * The kernel's queue of sleepers becomes a condition variable, the lock of its bucket a mutex. The
 * word is compared under that mutex, so a thread that changes the word and then wakes comes before
 * the comparison, or finds the sleeper. Which sleeper is woken is a choice, and each is tried.
 * A wait also ends for no reason, as a signal can end it, unless --no-spurious is given.
 *
 * Words that lie within 64 bytes have buckets of their own; others may share one, and then a wake
 * could reach a sleeper of another word: that ends the run. The result of a wake is 0, not how many
 * it woke. Other system calls and futex operations end the run.
 *
 * Source: futex(2), Linux 6.1, kernel/futex/waitwake.c.
 */
#ifndef LOCKLAB_EXPLORED_FUTEX_H
#define LOCKLAB_EXPLORED_FUTEX_H

#include_next <linux/futex.h>

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "locklab/explore.h"

struct explored_bucket {
    pthread_mutex_t lock;
    pthread_cond_t sleepers;
    const void *word; /* whose sleepers */
};

/* One for all files of a program. */
__attribute__((weak)) struct explored_bucket explored_buckets[16];

static inline long explored_futex_wait(struct explored_bucket *bucket, _Atomic(uint32_t) *word,
                                       uint32_t expected, const struct timespec *limit)
{
    int error = 0;

    if (atomic_load_explicit(word, memory_order_relaxed) != expected)
        error = EAGAIN;
    else if (limit == NULL)
        pthread_cond_wait(&bucket->sleepers, &bucket->lock);
    else
        error = pthread_cond_timedwait(&bucket->sleepers, &bucket->lock, limit);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

static inline long explored_syscall(long number, ...)
{
    va_list arguments;
    va_start(arguments, number);
    _Atomic(uint32_t) *word = va_arg(arguments, _Atomic(uint32_t) *);
    int operation = va_arg(arguments, int) & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    uint32_t value = va_arg(arguments, uint32_t);
    struct explored_bucket *bucket = &explored_buckets[(uintptr_t)word / sizeof(*word) % 16];
    long result = 0;

    if (number != SYS_futex || (operation != FUTEX_WAIT && operation != FUTEX_WAKE))
        locklab_fail("the explorer has no model of this system call: it knows FUTEX_WAIT and "
                     "FUTEX_WAKE");
    pthread_mutex_lock(&bucket->lock);
    if (bucket->word != NULL && bucket->word != word)
        locklab_fail("two futexes share a bucket of the explorer: put them within 64 bytes");
    bucket->word = word;
    if (operation == FUTEX_WAIT)
        result = explored_futex_wait(bucket, word, value, va_arg(arguments, struct timespec *));
    else if (value >= 64) /* a run has no more threads */
        pthread_cond_broadcast(&bucket->sleepers);
    else
        for (; value > 0; value--)
            pthread_cond_signal(&bucket->sleepers);
    pthread_mutex_unlock(&bucket->lock);
    va_end(arguments);
    return result;
}

#define syscall explored_syscall

#endif
