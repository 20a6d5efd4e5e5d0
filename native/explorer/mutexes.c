/* SPDX-License-Identifier: MIT */
/* Mutexes, spinlocks and reader-writer locks of POSIX and C11. Refused: recursive ones. Not
 * modelled: time-outs, priorities. */
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "sync.h"

/* mutexes: the owner's number + 1, or 0 */

static bool is_zero(struct thread *self, address at)
{
    (void)self;
    return ex_word(at) == 0;
}

void ex_lock(void *mutex)
{
    address at = (address)mutex;

    ex_heap_check(at, sizeof(uint32_t), true);
    if (ex_word(at) == ex_me()) {
        ex_self->pc = ex_door.pc;
        ex_fail("deadlock", "thread %d locks {at:%zx} at {pc:%zx}, which it holds already",
                ex_self->number, at, ex_self->pc);
    }
    ex_wait(is_zero, at, "a lock");
    ex_acquire(at);
    ex_set("lock", at, ex_me());
}

bool ex_try_lock(void *mutex)
{
    address at = (address)mutex;
    bool free_now;

    ex_point();
    ex_acquire(at);
    free_now = ex_word(at) == 0;
    ex_set("trylock", at, free_now ? ex_me() : ex_word(at));
    return free_now;
}

void ex_unlock(void *mutex)
{
    address at = (address)mutex;

    ex_point();
    ex_heap_check(at, sizeof(uint32_t), true);
    if (ex_word(at) != ex_me())
        ex_fail("exclusion", "thread %d unlocks {at:%zx} at {pc:%zx}, which it does not hold",
                ex_self->number, at, ex_self->pc);
    ex_release(at);
    ex_set("unlock", at, 0);
}

int ENTRY(pthread_mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int type = PTHREAD_MUTEX_DEFAULT;

    if (attributes != NULL)
        pthread_mutexattr_gettype(attributes, &type);
    if (type == PTHREAD_MUTEX_RECURSIVE)
        ex_give_up("the explorer has no recursive mutexes");
    ex_fresh(mutex, 1);
    return 0;
}

int ENTRY(pthread_mutex_destroy)(pthread_mutex_t *mutex)
{
    ex_fresh(mutex, 1);
    return 0;
}

int ENTRY(pthread_mutex_lock)(pthread_mutex_t *mutex)
{
    ex_lock(mutex);
    return 0;
}

int ENTRY(pthread_mutex_trylock)(pthread_mutex_t *mutex)
{
    return ex_try_lock(mutex) ? 0 : EBUSY;
}

int ENTRY(pthread_mutex_unlock)(pthread_mutex_t *mutex)
{
    ex_unlock(mutex);
    return 0;
}

int ENTRY(pthread_spin_init)(pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    ex_fresh((void *)lock, 1);
    return 0;
}

int ENTRY(pthread_spin_destroy)(pthread_spinlock_t *lock)
{
    ex_fresh((void *)lock, 1);
    return 0;
}

int ENTRY(pthread_spin_lock)(pthread_spinlock_t *spinlock)
{
    ex_lock((void *)spinlock);
    return 0;
}

int ENTRY(pthread_spin_trylock)(pthread_spinlock_t *lock)
{
    return ex_try_lock((void *)lock) ? 0 : EBUSY;
}

int ENTRY(pthread_spin_unlock)(pthread_spinlock_t *lock)
{
    ex_unlock((void *)lock);
    return 0;
}

int ENTRY(mtx_init)(mtx_t *mutex, int type)
{
    if (type & mtx_recursive)
        ex_give_up("the explorer has no recursive mutexes");
    ex_fresh(mutex, 1);
    return thrd_success;
}

void ENTRY(mtx_destroy)(mtx_t *mutex)
{
    ex_fresh(mutex, 1);
}

int ENTRY(mtx_lock)(mtx_t *mutex)
{
    ex_lock(mutex);
    return thrd_success;
}

int ENTRY(mtx_trylock)(mtx_t *mutex)
{
    return ex_try_lock(mutex) ? thrd_success : thrd_busy;
}

int ENTRY(mtx_unlock)(mtx_t *mutex)
{
    ex_unlock(mutex);
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
        ex_set("write_lock", at, ex_me());
    else
        ex_set("read_lock", at + 4, ex_word(at + 4) + 1);
    return 0;
}

int ENTRY(pthread_rwlock_init)(pthread_rwlock_t *rwlock, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    ex_fresh(rwlock, 2);
    return 0;
}

int ENTRY(pthread_rwlock_destroy)(pthread_rwlock_t *rwlock)
{
    ex_fresh(rwlock, 2);
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
    if (ex_word(at) != ex_me() && ex_word(at + 4) == 0)
        ex_fail("exclusion", "thread %d unlocks {at:%zx} at {pc:%zx}, which it does not hold",
                ex_self->number, at, ex_self->pc);
    ex_release(at);
    if (ex_word(at) == ex_me())
        ex_set("unlock", at, 0);
    else
        ex_set("unlock", at + 4, ex_word(at + 4) - 1);
    return 0;
}
