/* SPDX-License-Identifier: MIT */
/*
 * pthreads and C11 threads.
 *
 * A mutex, a condition variable and so on keep their state in the first words of the program's own
 * object, where the static initialisers have put 0. So it is put back with the statics, belongs
 * to the memory that spinning is recognised by, and is checked for use after free like
 * everything else. What a thread waits for is a condition on such a word.
 *
 * Not modelled, and refused: recursive mutexes, time-outs, cancellation, spurious wake-ups.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include "explorer.h"

#define ENTRY(name) ex_do_##name

static uint32_t me(void)
{
    return (uint32_t)ex_self->number + 1;
}

static void set(const char *operation, address at, uint32_t to)
{
    uint32_t old = ex_word(at);

    ex_word_set(at, to);
    ex_step(operation, at, sizeof(to), old, to);
}

/* A new object: a plain write, so that using it before is a race. */
static void fresh(void *object, unsigned words)
{
    uint32_t zero[4] = {0};

    ex_settle();
    ex_self->pc = ex_door.pc;
    ex_access((address)object, words * sizeof(zero[0]), WRITES);
    ex_memory_write((address)object, zero, words * sizeof(zero[0]));
}

/* threads */

static void *c11_main(void *argument)
{
    return (void *)(intptr_t)ex_self->start_c11(argument);
}

static struct thread *create(void *(*start)(void *), void *argument)
{
    struct thread *thread;

    ex_point();
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

static bool has_ended(struct thread *self, address number)
{
    (void)self;
    return ex_threads[number].stage == ENDED;
}

static void *join(unsigned long handle)
{
    struct thread *thread = thread_of(handle);

    if (thread->detached)
        ex_fail("fault", "thread %d joins thread %d at {pc:%zx}, which is detached or joined",
                ex_self->number, thread->number, ex_self->pc);
    ex_wait(has_ended, (address)thread->number, "another thread's end");
    ex_drain(thread);
    ex_drain(ex_self);
    ex_clock_join(&ex_self->now, &thread->now);
    thread->detached = true;
    ex_step("join", 0, 0, 0, (uint64_t)thread->number);
    return thread->result;
}

static void give(void *where, const void *what, size_t size)
{
    if (where == NULL)
        return;
    ex_settle();
    ex_access((address)where, size, WRITES);
    ex_memory_write((address)where, what, size);
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
    return me();
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
    return me();
}

int ENTRY(thrd_equal)(thrd_t a, thrd_t b)
{
    return a == b;
}

/* A loop that yields touches nothing else that would tell its rounds apart. */
int ENTRY(sched_yield)(void)
{
    ex_point();
    return 0;
}

void ENTRY(thrd_yield)(void)
{
    ex_point();
}

int ENTRY(thrd_sleep)(const struct timespec *time, struct timespec *left)
{
    (void)time, (void)left;
    ex_point();
    return 0;
}

int ENTRY(usleep)(unsigned us)
{
    (void)us;
    ex_point();
    return 0;
}

int ENTRY(nanosleep)(const struct timespec *time, struct timespec *left)
{
    (void)time, (void)left;
    ex_point();
    return 0;
}

unsigned ENTRY(sleep)(unsigned seconds)
{
    (void)seconds;
    ex_point();
    return 0;
}

/* mutexes: the owner's number + 1, or 0 */

static bool is_zero(struct thread *self, address at)
{
    (void)self;
    return ex_word(at) == 0;
}

static void lock(void *mutex)
{
    address at = (address)mutex;

    ex_heap_check(at, sizeof(uint32_t), true);
    if (ex_word(at) == me()) {
        ex_self->pc = ex_door.pc;
        ex_fail("deadlock", "thread %d locks {at:%zx} at {pc:%zx}, which it holds already",
                ex_self->number, at, ex_self->pc);
    }
    ex_wait(is_zero, at, "a lock");
    ex_acquire(at);
    set("lock", at, me());
}

static bool try_lock(void *mutex)
{
    address at = (address)mutex;
    bool free_now;

    ex_point();
    ex_acquire(at);
    free_now = ex_word(at) == 0;
    set("trylock", at, free_now ? me() : ex_word(at));
    return free_now;
}

static void unlock(void *mutex)
{
    address at = (address)mutex;

    ex_point();
    ex_heap_check(at, sizeof(uint32_t), true);
    if (ex_word(at) != me())
        ex_fail("exclusion", "thread %d unlocks {at:%zx} at {pc:%zx}, which it does not hold",
                ex_self->number, at, ex_self->pc);
    ex_release(at);
    set("unlock", at, 0);
}

int ENTRY(pthread_mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int type = PTHREAD_MUTEX_DEFAULT;

    if (attributes != NULL)
        pthread_mutexattr_gettype(attributes, &type);
    if (type == PTHREAD_MUTEX_RECURSIVE)
        ex_give_up("the explorer has no recursive mutexes");
    fresh(mutex, 1);
    return 0;
}

int ENTRY(pthread_mutex_destroy)(pthread_mutex_t *mutex)
{
    fresh(mutex, 1);
    return 0;
}

int ENTRY(pthread_mutex_lock)(pthread_mutex_t *mutex)
{
    lock(mutex);
    return 0;
}

int ENTRY(pthread_mutex_trylock)(pthread_mutex_t *mutex)
{
    return try_lock(mutex) ? 0 : EBUSY;
}

int ENTRY(pthread_mutex_unlock)(pthread_mutex_t *mutex)
{
    unlock(mutex);
    return 0;
}

int ENTRY(pthread_spin_init)(pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    fresh((void *)lock, 1);
    return 0;
}

int ENTRY(pthread_spin_destroy)(pthread_spinlock_t *lock)
{
    fresh((void *)lock, 1);
    return 0;
}

int ENTRY(pthread_spin_lock)(pthread_spinlock_t *spinlock)
{
    lock((void *)spinlock);
    return 0;
}

int ENTRY(pthread_spin_trylock)(pthread_spinlock_t *lock)
{
    return try_lock((void *)lock) ? 0 : EBUSY;
}

int ENTRY(pthread_spin_unlock)(pthread_spinlock_t *lock)
{
    unlock((void *)lock);
    return 0;
}

int ENTRY(mtx_init)(mtx_t *mutex, int type)
{
    if (type & mtx_recursive)
        ex_give_up("the explorer has no recursive mutexes");
    fresh(mutex, 1);
    return thrd_success;
}

void ENTRY(mtx_destroy)(mtx_t *mutex)
{
    fresh(mutex, 1);
}

int ENTRY(mtx_lock)(mtx_t *mutex)
{
    lock(mutex);
    return thrd_success;
}

int ENTRY(mtx_trylock)(mtx_t *mutex)
{
    return try_lock(mutex) ? thrd_success : thrd_busy;
}

int ENTRY(mtx_unlock)(mtx_t *mutex)
{
    unlock(mutex);
    return thrd_success;
}

/* reader-writer locks: the writer's number + 1, then the number of readers */

static bool no_writer(struct thread *self, address at)
{
    (void)self;
    return ex_word(at) == 0;
}

static bool nobody(struct thread *self, address at)
{
    (void)self;
    return ex_word(at) == 0 && ex_word(at + 4) == 0;
}

static int enter(pthread_rwlock_t *rwlock, bool writes)
{
    address at = (address)rwlock;

    ex_acquire(at);
    if (writes)
        set("write_lock", at, me());
    else
        set("read_lock", at + 4, ex_word(at + 4) + 1);
    return 0;
}

int ENTRY(pthread_rwlock_init)(pthread_rwlock_t *rwlock, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    fresh(rwlock, 2);
    return 0;
}

int ENTRY(pthread_rwlock_destroy)(pthread_rwlock_t *rwlock)
{
    fresh(rwlock, 2);
    return 0;
}

int ENTRY(pthread_rwlock_rdlock)(pthread_rwlock_t *rwlock)
{
    ex_wait(no_writer, (address)rwlock, "a lock's writer");
    return enter(rwlock, false);
}

int ENTRY(pthread_rwlock_tryrdlock)(pthread_rwlock_t *rwlock)
{
    ex_point();
    return no_writer(ex_self, (address)rwlock) ? enter(rwlock, false) : EBUSY;
}

int ENTRY(pthread_rwlock_wrlock)(pthread_rwlock_t *rwlock)
{
    ex_wait(nobody, (address)rwlock, "a lock's holders");
    return enter(rwlock, true);
}

int ENTRY(pthread_rwlock_trywrlock)(pthread_rwlock_t *rwlock)
{
    ex_point();
    return nobody(ex_self, (address)rwlock) ? enter(rwlock, true) : EBUSY;
}

int ENTRY(pthread_rwlock_unlock)(pthread_rwlock_t *rwlock)
{
    address at = (address)rwlock;

    ex_point();
    if (ex_word(at) != me() && ex_word(at + 4) == 0)
        ex_fail("exclusion", "thread %d unlocks {at:%zx} at {pc:%zx}, which it does not hold",
                ex_self->number, at, ex_self->pc);
    ex_release(at);
    if (ex_word(at) == me())
        set("unlock", at, 0);
    else
        set("unlock", at + 4, ex_word(at + 4) - 1);
    return 0;
}

/* condition variables */

static bool signalled(struct thread *self, address unused)
{
    (void)unused;
    return self->condition == 0;
}

static int wait_for(void *condition, void *mutex)
{
    unlock(mutex);
    ex_self->condition = (address)condition;
    ex_step("wait", (address)condition, 0, 0, 0);
    ex_wait(signalled, 0, "a signal");
    lock(mutex);
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
    fresh(condition, 1);
    return 0;
}

int ENTRY(pthread_cond_destroy)(pthread_cond_t *condition)
{
    fresh(condition, 1);
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
    fresh(condition, 1);
    return thrd_success;
}

void ENTRY(cnd_destroy)(cnd_t *condition)
{
    fresh(condition, 1);
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
    fresh(barrier, 3);
    ex_word_set((address)barrier, count);
    return 0;
}

int ENTRY(pthread_barrier_destroy)(pthread_barrier_t *barrier)
{
    fresh(barrier, 3);
    return 0;
}

int ENTRY(pthread_barrier_wait)(pthread_barrier_t *barrier)
{
    address at = (address)barrier;

    ex_point();
    ex_release(at);
    set("arrive", at + 4, ex_word(at + 4) + 1);
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
    set("once", at, 1);
    routine();
    ex_settle();
    ex_release(at);
    set("once", at, 2);
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
    fresh(semaphore, 1);
    ex_word_set((address)semaphore, count);
    return 0;
}

int ENTRY(sem_destroy)(sem_t *semaphore)
{
    fresh(semaphore, 1);
    return 0;
}

int ENTRY(sem_wait)(sem_t *semaphore)
{
    address at = (address)semaphore;

    ex_wait(above_zero, at, "a semaphore");
    ex_acquire(at);
    set("sem_wait", at, ex_word(at) - 1);
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
    set("sem_wait", at, ex_word(at) - 1);
    return 0;
}

int ENTRY(sem_post)(sem_t *semaphore)
{
    address at = (address)semaphore;

    ex_point();
    ex_release(at);
    set("sem_post", at, ex_word(at) + 1);
    return 0;
}
