/* SPDX-License-Identifier: MIT */
/*
 * Condition variables, barriers, once routines and semaphores of POSIX and C11.
 *
 * A condition variable: how many wait. A wait with a time-out may be over at any time, signalled or
 * not. So may any other, unless the option spurious is off: whether it waits for a signal is a choice.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "sync.h"

#define MOST_WAKE_UPS 1 /* of a thread in a run, for no reason */

/* condition variables */

static bool signalled(const struct thread *self, address unused)
{
    (void)unused;
    return self->condition == 0;
}

static void count_waiters(address at, int by)
{
    ex_word_set(at, ex_word(at) + (uint32_t)by);
}

static void wake(struct thread *thread)
{
    count_waiters(thread->condition, -1);
    thread->condition = 0;
    thread->woken_by = ex_event_now();
}

/* A loop that changes something in each round would have no end without a bound. */
static bool wakes_for_no_reason(void)
{
    if (ex_options.spurious && ex_self->spurious == 2 * MOST_WAKE_UPS) {
        ex_reach_limit(WAKE_UPS);
        return false;
    }
    if (!ex_happens(SPURIOUS, ex_options.spurious))
        return false;
    ex_self->spurious++;
    return true;
}

/* True: woken by a signal. The thread is on the list before it unlocks, so no signal of who locks
 * next is lost. */
static bool wait_for(void *condition, void *mutex, bool may_end)
{
    address at = (address)condition;
    bool woken, is_spurious;

    ex_check(condition, sizeof(pthread_cond_t));
    ex_point(ex_changes(condition, sizeof(uint32_t)));
    ex_self->condition = at;
    count_waiters(at, 1);
    ex_step("wait", at, 0, 0, 0);
    is_spurious = !may_end && wakes_for_no_reason();
    may_end = may_end || is_spurious;
    if (!ex_unlock(mutex))
        ex_fail("exclusion", "thread %d waits at {pc:%zx} without holding {at:%zx}",
                ex_self->number, ex_self->pc, (address)mutex);
    if (may_end) {
        ex_point(ex_changes(condition, sizeof(uint32_t)));
    } else {
        ex_point((struct operation){.ready = signalled, .waits_for = "a signal"});
        ex_event_after(ex_self->woken_by);
    }
    ex_self->spurious += is_spurious;
    woken = ex_self->condition == 0;
    if (!woken) {
        ex_step("wakes up", at, 0, 0, 0);
        wake(ex_self);
    }
    ex_lock(mutex);
    return woken;
}

/* Which of those who wait is woken is a choice, and each is tried. */
static int signal_one(void *condition)
{
    struct thread *waiting[MAX_THREADS];
    unsigned n = 0;

    ex_check(condition, sizeof(pthread_cond_t));
    ex_point(ex_changes(condition, sizeof(uint32_t)));
    for (int i = 0; i < ex_threads_used; i++)
        if (ex_threads[i].stage == STARTED && ex_threads[i].condition == (address)condition)
            waiting[n++] = &ex_threads[i];
    if (n > 0)
        wake(waiting[ex_choose(n, 0)]);
    ex_step("signal", (address)condition, 0, 0, 0);
    return 0;
}

static int signal_all(void *condition)
{
    ex_check(condition, sizeof(pthread_cond_t));
    ex_point(ex_changes(condition, sizeof(uint32_t)));
    for (int i = 0; i < ex_threads_used; i++)
        if (ex_threads[i].stage == STARTED && ex_threads[i].condition == (address)condition)
            wake(&ex_threads[i]);
    ex_step("broadcast", (address)condition, 0, 0, 0);
    return 0;
}

int ENTRY(pthread_cond_init)(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    (void)attributes;
    ex_fresh(condition, sizeof(*condition));
    return 0;
}

int ENTRY(pthread_cond_destroy)(pthread_cond_t *condition)
{
    ex_destroy(condition, sizeof(*condition), ex_word((address)condition) != 0);
    return 0;
}

int ENTRY(pthread_cond_wait)(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    wait_for(condition, mutex, false);
    return 0;
}

int ENTRY(pthread_cond_timedwait)(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    (void)until;
    return wait_for(condition, mutex, true) ? 0 : ETIMEDOUT;
}

int ENTRY(pthread_cond_clockwait)(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  clockid_t clock, const struct timespec *until)
{
    (void)clock;
    return ENTRY(pthread_cond_timedwait)(condition, mutex, until);
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
    ex_fresh(condition, sizeof(*condition));
    return thrd_success;
}

void ENTRY(cnd_destroy)(cnd_t *condition)
{
    ex_destroy(condition, sizeof(*condition), ex_word((address)condition) != 0);
}

int ENTRY(cnd_wait)(cnd_t *condition, mtx_t *mutex)
{
    wait_for(condition, mutex, false);
    return thrd_success;
}

int ENTRY(cnd_timedwait)(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    (void)until;
    return wait_for(condition, mutex, true) ? thrd_success : thrd_timedout;
}

int ENTRY(cnd_signal)(cnd_t *condition)
{
    return signal_one(condition);
}

int ENTRY(cnd_broadcast)(cnd_t *condition)
{
    return signal_all(condition);
}

/* barriers: how many it is for, how many are there, how often it has opened; and that it is one */

#define BARRIER 0xba441e40u

static bool has_opened(const struct thread *self, address at)
{
    return ex_word(at + 8) != self->generation;
}

int ENTRY(pthread_barrier_init)(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                unsigned count)
{
    const uint32_t members = count, is_one = BARRIER;
    address at = (address)barrier;

    (void)attributes;
    ex_self->pc = ex_door.pc;
    if (!ex_on_a_stack(at) && ex_word(at + 12) == BARRIER)
        ex_fail("memory", "thread %d initialises {at:%zx} at {pc:%zx}, which is a barrier already",
                ex_self->number, at, ex_self->pc);
    ex_fresh(barrier, sizeof(*barrier));
    ex_plain_write(at, &members, sizeof(members));
    ex_plain_write(at + 12, &is_one, sizeof(is_one));
    return 0;
}

int ENTRY(pthread_barrier_destroy)(pthread_barrier_t *barrier)
{
    const uint32_t none = 0;

    ex_destroy(barrier, sizeof(*barrier), ex_word((address)barrier + 4) != 0);
    ex_plain_write((address)barrier + 12, &none, sizeof(none));
    return 0;
}

/* Who arrives last lets all others go on, with what happened before it. */
static void open_barrier(address at)
{
    ex_word_set(at + 4, 0);
    ex_word_set(at + 8, ex_word(at + 8) + 1);
    ex_acquire(at);
    for (int i = 0; i < ex_threads_used; i++) {
        struct thread *other = &ex_threads[i];

        if (other->stage == STARTED && other->next.ready == has_opened &&
            other->next.subject == at && other != ex_self) {
            ex_clock_join(&other->now, &ex_self->now);
            other->woken_by = ex_event_now();
        }
    }
}

int ENTRY(pthread_barrier_wait)(pthread_barrier_t *barrier)
{
    address at = (address)barrier;

    ex_check(barrier, sizeof(*barrier));
    ex_point(ex_changes(barrier, 12));
    ex_release(at);
    ex_set("arrive", at + 4, ex_word(at + 4) + 1);
    if (ex_word(at + 4) == ex_word(at)) {
        open_barrier(at);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    ex_self->generation = ex_word(at + 8);
    ex_point((struct operation){
        .ready = has_opened, .subject = at, .waits_for = "a barrier", .drains = true});
    ex_event_after(ex_self->woken_by);
    ex_step("passes", at, 0, 0, 0);
    return 0;
}

/* once: 0, 1 while it is done, 2 afterwards */

static bool not_running(value word, const struct thread *self)
{
    (void)self;
    return (uint32_t)word != 1;
}

static void once(void *control, void (*routine)(void))
{
    struct operation operation = ex_changes(control, sizeof(uint32_t));
    address at = (address)control;

    operation.open = not_running;
    operation.waits_for = "a once routine";
    operation.effect = COMPARES;
    ex_point(operation);
    ex_acquire(at);
    if (ex_word(at) == 2)
        return;
    ex_set("once", at, 1);
    routine();
    ex_point(ex_changes(control, sizeof(uint32_t)));
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

static bool above_zero(value word, const struct thread *self)
{
    (void)self;
    return (uint32_t)word > 0;
}

int ENTRY(sem_init)(sem_t *semaphore, int shared, unsigned count)
{
    const uint32_t first = count;

    (void)shared;
    ex_fresh(semaphore, sizeof(*semaphore));
    ex_plain_write((address)semaphore, &first, sizeof(first));
    return 0;
}

int ENTRY(sem_destroy)(sem_t *semaphore)
{
    ex_destroy(semaphore, sizeof(*semaphore), false);
    return 0;
}

int ENTRY(sem_wait)(sem_t *semaphore)
{
    struct operation operation = ex_changes(semaphore, sizeof(uint32_t));
    address at = (address)semaphore;

    ex_check(semaphore, sizeof(*semaphore));
    operation.open = above_zero;
    operation.waits_for = "a semaphore";
    ex_point(operation);
    ex_acquire(at);
    ex_set("sem_wait", at, ex_word(at) - 1);
    return 0;
}

static int try_to_take(sem_t *semaphore, int otherwise)
{
    address at = (address)semaphore;

    ex_check(semaphore, sizeof(*semaphore));
    ex_point(ex_changes(semaphore, sizeof(uint32_t)));
    ex_acquire(at);
    if (ex_word(at) == 0) {
        ex_self->error = otherwise;
        return -1;
    }
    ex_set("sem_wait", at, ex_word(at) - 1);
    return 0;
}

int ENTRY(sem_trywait)(sem_t *semaphore)
{
    return try_to_take(semaphore, EAGAIN);
}

int ENTRY(sem_timedwait)(sem_t *semaphore, const struct timespec *until)
{
    (void)until;
    return try_to_take(semaphore, ETIMEDOUT);
}

int ENTRY(sem_post)(sem_t *semaphore)
{
    address at = (address)semaphore;

    struct operation operation = ex_changes(semaphore, sizeof(uint32_t));

    ex_check(semaphore, sizeof(*semaphore));
    operation.kind = POSTS;
    ex_point(operation);
    ex_release(at);
    ex_set("sem_post", at, ex_word(at) + 1);
    return 0;
}

int ENTRY(sem_getvalue)(sem_t *semaphore, int *count)
{
    int found;

    ex_check(semaphore, sizeof(*semaphore));
    ex_point((struct operation){
        .at = (address)semaphore, .size = sizeof(uint32_t), .effect = LOOKS});
    found = (int)ex_word((address)semaphore);
    ex_plain_write((address)count, &found, sizeof(found));
    return 0;
}
