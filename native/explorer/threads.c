/* SPDX-License-Identifier: MIT */
/* Threads of POSIX and C11: made, joined, and what they do to give others room. Not modelled:
 * cancellation, keys. */
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "sync.h"

static void *c11_main(void *argument)
{
    return (void *)(intptr_t)ex_self->start_c11(argument);
}

static struct thread *create(void *(*start)(void *), void *argument)
{
    struct thread *thread;

    ex_point((struct operation){
        .at = SUBJECT_THREADS, .size = 1, .effect = UPDATES, .drains = true});
    ex_spins_forget(ex_self);
    thread = ex_spawn(ex_free_number(), start, argument);
    ex_step("create", 0, 0, 0, (uint64_t)thread->number);
    return thread;
}

static struct thread *thread_of(unsigned long number)
{
    if (number == 0 || number > MAX_THREADS || ex_threads[number - 1].stage == UNUSED)
        ex_fail("fault", "thread %d names a thread at {pc:%zx} that was never created",
                ex_self->number, ex_self->pc);
    return &ex_threads[number - 1];
}

static bool has_ended(const struct thread *self, address number)
{
    (void)self;
    return ex_threads[number].stage == ENDED && ex_threads[number].buffered == 0;
}

static void *join(unsigned long handle)
{
    struct thread *thread = thread_of(handle);

    if (thread->detached)
        ex_fail("fault", "thread %d joins thread %d at {pc:%zx}, which is detached or joined",
                ex_self->number, thread->number, ex_self->pc);
    ex_point((struct operation){.ready = has_ended,
                                .subject = (address)thread->number,
                                .waits_for = "another thread's end",
                                .drains = true});
    ex_event_after(ex_event_last(2 * thread->number));
    ex_event_after(ex_event_last(2 * thread->number + 1));
    ex_clock_join(&ex_self->now, &thread->now);
    thread->detached = true;
    ex_step("join", 0, 0, 0, (uint64_t)thread->number);
    return thread->result;
}

static void give(void *where, const void *what, size_t size)
{
    if (where != NULL)
        ex_plain_write((address)where, what, size);
}

int ENTRY(pthread_create)(pthread_t *handle, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    pthread_t made = (pthread_t)create(start, argument)->number + 1;

    (void)attributes;
    give(handle, &made, sizeof(made));
    return 0;
}

int ENTRY(pthread_join)(pthread_t handle, void **result)
{
    void *got = join(handle);

    give(result, &got, sizeof(got));
    return 0;
}

int ENTRY(pthread_detach)(pthread_t handle)
{
    thread_of(handle)->detached = true;
    return 0;
}

void ENTRY(pthread_exit)(void *result)
{
    ex_end_thread(result);
}

pthread_t ENTRY(pthread_self)(void)
{
    return ex_me();
}

int ENTRY(pthread_equal)(pthread_t a, pthread_t b)
{
    return a == b;
}

int ENTRY(thrd_create)(thrd_t *handle, thrd_start_t start, void *argument)
{
    struct thread *thread = create(c11_main, argument);
    thrd_t made = (thrd_t)thread->number + 1;

    thread->start_c11 = start;
    give(handle, &made, sizeof(made));
    return thrd_success;
}

int ENTRY(thrd_join)(thrd_t handle, int *result)
{
    int got = (int)(intptr_t)join(handle);

    give(result, &got, sizeof(got));
    return thrd_success;
}

int ENTRY(thrd_detach)(thrd_t handle)
{
    thread_of(handle)->detached = true;
    return thrd_success;
}

void ENTRY(thrd_exit)(int result)
{
    ex_end_thread((void *)(intptr_t)result);
}

thrd_t ENTRY(thrd_current)(void)
{
    return ex_me();
}

int ENTRY(thrd_equal)(thrd_t a, thrd_t b)
{
    return a == b;
}

/* A loop that yields touches nothing else that would tell its rounds apart. */
int ENTRY(sched_yield)(void)
{
    ex_pause();
    return 0;
}

void ENTRY(thrd_yield)(void)
{
    ex_pause();
}

int ENTRY(thrd_sleep)(const struct timespec *time, struct timespec *left)
{
    (void)time, (void)left;
    ex_pause();
    return 0;
}

int ENTRY(usleep)(unsigned us)
{
    (void)us;
    ex_pause();
    return 0;
}

int ENTRY(nanosleep)(const struct timespec *time, struct timespec *left)
{
    (void)time, (void)left;
    ex_pause();
    return 0;
}

unsigned ENTRY(sleep)(unsigned seconds)
{
    (void)seconds;
    ex_pause();
    return 0;
}
