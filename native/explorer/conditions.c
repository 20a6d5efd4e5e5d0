/* SPDX-License-Identifier: MIT */
/* Condition variables, barriers, once routines and semaphores of POSIX and C11. Not modelled:
 * time-outs, spurious wake-ups. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "sync.h"

/* condition variables */

static bool signalled(struct thread *self, address unused)
{
    (void)unused;
    return self->condition == 0;
}

static int wait_for(void *condition, void *mutex)
{
    ex_unlock(mutex);
    ex_self->condition = (address)condition;
    ex_step("wait", (address)condition, 0, 0, 0);
    ex_wait(signalled, 0, "a signal");
    ex_lock(mutex);
    return 0;
}

/* Which of those who wait is woken is a choice, and each is tried. */
static int signal_one(void *condition)
{
    struct choice choices[MAX_THREADS];
    struct thread *waiting[MAX_THREADS];
    unsigned n = 0;

    ex_point();
    for (int i = 0; i < MAX_THREADS; i++)
        if (ex_threads[i].stage == STARTED && ex_threads[i].condition == (address)condition) {
            choices[n] = (struct choice){-1, 0};
            waiting[n++] = &ex_threads[i];
        }
    if (n > 0)
        waiting[ex_choose(choices, n)]->condition = 0;
    ex_step("signal", (address)condition, 0, 0, 0);
    return 0;
}

static int signal_all(void *condition)
{
    ex_point();
    for (int i = 0; i < MAX_THREADS; i++)
        if (ex_threads[i].condition == (address)condition)
            ex_threads[i].condition = 0;
    ex_step("broadcast", (address)condition, 0, 0, 0);
    return 0;
}

int ENTRY(pthread_cond_init)(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    (void)attributes;
    ex_fresh(condition, 1);
    return 0;
}

int ENTRY(pthread_cond_destroy)(pthread_cond_t *condition)
{
    ex_fresh(condition, 1);
    return 0;
}

int ENTRY(pthread_cond_wait)(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait_for(condition, mutex);
}

int ENTRY(pthread_cond_signal)(pthread_cond_t *condition)
{
    return signal_one(condition);
}

int ENTRY(pthread_cond_broadcast)(pthread_cond_t *condition)
{
    return signal_all(condition);
}

int ENTRY(cnd_init)(cnd_t *condition)
{
    ex_fresh(condition, 1);
    return thrd_success;
}

void ENTRY(cnd_destroy)(cnd_t *condition)
{
    ex_fresh(condition, 1);
}

int ENTRY(cnd_wait)(cnd_t *condition, mtx_t *mutex)
{
    return wait_for(condition, mutex);
}

int ENTRY(cnd_signal)(cnd_t *condition)
{
    return signal_one(condition);
}

int ENTRY(cnd_broadcast)(cnd_t *condition)
{
    return signal_all(condition);
}

/* barriers: how many it is for, how many are there, how often it has opened */

static bool has_opened(struct thread *self, address at)
{
    return ex_word(at + 8) != self->generation;
}

int ENTRY(pthread_barrier_init)(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                unsigned count)
{
    (void)attributes;
    ex_fresh(barrier, 3);
    ex_word_set((address)barrier, count);
    return 0;
}

int ENTRY(pthread_barrier_destroy)(pthread_barrier_t *barrier)
{
    ex_fresh(barrier, 3);
    return 0;
}

int ENTRY(pthread_barrier_wait)(pthread_barrier_t *barrier)
{
    address at = (address)barrier;

    ex_point();
    ex_release(at);
    ex_set("arrive", at + 4, ex_word(at + 4) + 1);
    if (ex_word(at + 4) == ex_word(at)) {
        ex_word_set(at + 4, 0);
        ex_word_set(at + 8, ex_word(at + 8) + 1);
        ex_acquire(at);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    ex_self->generation = ex_word(at + 8);
    ex_wait(has_opened, at, "a barrier");
    ex_acquire(at);
    ex_step("passes", at, 0, 0, 0);
    return 0;
}

/* once: 0, 1 while it is done, 2 afterwards */

static bool not_running(struct thread *self, address at)
{
    (void)self;
    return ex_word(at) != 1;
}

static void once(void *control, void (*routine)(void))
{
    address at = (address)control;

    ex_wait(not_running, at, "a once routine");
    ex_acquire(at);
    if (ex_word(at) == 2)
        return;
    ex_set("once", at, 1);
    routine();
    ex_settle();
    ex_release(at);
    ex_set("once", at, 2);
}

int ENTRY(pthread_once)(pthread_once_t *control, void (*routine)(void))
{
    once(control, routine);
    return 0;
}

void ENTRY(call_once)(once_flag *control, void (*routine)(void))
{
    once(control, routine);
}

/* semaphores */

static bool above_zero(struct thread *self, address at)
{
    (void)self;
    return ex_word(at) > 0;
}

int ENTRY(sem_init)(sem_t *semaphore, int shared, unsigned count)
{
    (void)shared;
    ex_fresh(semaphore, 1);
    ex_word_set((address)semaphore, count);
    return 0;
}

int ENTRY(sem_destroy)(sem_t *semaphore)
{
    ex_fresh(semaphore, 1);
    return 0;
}

int ENTRY(sem_wait)(sem_t *semaphore)
{
    address at = (address)semaphore;

    ex_wait(above_zero, at, "a semaphore");
    ex_acquire(at);
    ex_set("sem_wait", at, ex_word(at) - 1);
    return 0;
}

int ENTRY(sem_trywait)(sem_t *semaphore)
{
    address at = (address)semaphore;

    ex_point();
    ex_acquire(at);
    if (ex_word(at) == 0) {
        errno = EAGAIN;
        return -1;
    }
    ex_set("sem_wait", at, ex_word(at) - 1);
    return 0;
}

int ENTRY(sem_post)(sem_t *semaphore)
{
    address at = (address)semaphore;

    ex_point();
    ex_release(at);
    ex_set("sem_post", at, ex_word(at) + 1);
    return 0;
}
