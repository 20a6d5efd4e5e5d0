/* SPDX-License-Identifier: MIT */
/* The threads that waiting.h describes. */
#define _POSIX_C_SOURCE 200809L
#define URCU_API_MAP
#include LOCKLAB_URCU_HEADER /* first: it renames what the others declare */

#include "urcu/waiting.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct locklab_urcu_wait {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool done;
    bool given_up;
    locklab_urcu_work work;
    void *argument;
    struct locklab_urcu_deferred *kept;
};

static atomic_uint waits;

void locklab_urcu_synchronize(void *unused)
{
    (void)unused;
    synchronize_rcu();
}

void locklab_urcu_barrier(void *unused)
{
    (void)unused;
    rcu_barrier();
}

static void wait_free(struct locklab_urcu_wait *wait)
{
    pthread_cond_destroy(&wait->changed);
    pthread_mutex_destroy(&wait->mutex);
    free(wait);
}

static void *work(void *arg)
{
    struct locklab_urcu_wait *wait = arg;
    bool given_up;

    wait->work(wait->argument);
    if (wait->kept != NULL)
        locklab_urcu_post(wait->kept);
    pthread_mutex_lock(&wait->mutex);
    wait->done = true;
    given_up = wait->given_up;
    pthread_cond_signal(&wait->changed);
    pthread_mutex_unlock(&wait->mutex);
    if (given_up)
        wait_free(wait);
    waits--;
    return NULL;
}

/* Signals go to the threads that Python knows. */
static int start_thread(struct locklab_urcu_wait *wait)
{
    sigset_t all, before;
    pthread_t thread;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread, NULL, work, wait);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        pthread_detach(thread);
    return error;
}

struct locklab_urcu_wait *locklab_urcu_wait_begin(locklab_urcu_work work, void *argument,
                                                  struct locklab_urcu_deferred *kept)
{
    struct locklab_urcu_wait *wait = calloc(1, sizeof(*wait));
    pthread_condattr_t attributes;

    if (wait == NULL)
        return NULL;
    pthread_mutex_init(&wait->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&wait->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    wait->work = work;
    wait->argument = argument;
    wait->kept = kept;
    waits++;
    if (start_thread(wait) != 0) {
        waits--;
        wait_free(wait);
        return NULL;
    }
    return wait;
}

bool locklab_urcu_wait_for(struct locklab_urcu_wait *wait, unsigned milliseconds)
{
    struct timespec until;
    bool done;
    int error = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&wait->mutex);
    while (!wait->done && error == 0)
        error = pthread_cond_timedwait(&wait->changed, &wait->mutex, &until);
    done = wait->done;
    pthread_mutex_unlock(&wait->mutex);
    return done;
}

void locklab_urcu_wait_end(struct locklab_urcu_wait *wait)
{
    bool done;

    pthread_mutex_lock(&wait->mutex);
    done = wait->done;
    wait->given_up = true;
    pthread_mutex_unlock(&wait->mutex);
    if (done)
        wait_free(wait);
}

bool locklab_urcu_waits(void)
{
    return waits > 0;
}
