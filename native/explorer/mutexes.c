/* SPDX-License-Identifier: MIT */
/*
 * Mutexes, spinlocks and reader-writer locks of POSIX and C11.
 *
 * A mutex: the owner's number + 1, or 0; how often it has locked it; and, where glibc has it too,
 * the type. A timed lock takes a lock that is free and gives up one that is not: whenever the time
 * may be over, it is one of the two. Not modelled: priorities, robust mutexes.
 */
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "sync.h"

#define MUTEX 8 /* bytes that change */
#define KIND offsetof(pthread_mutex_t, __data.__kind)
#define DESTROYED 0xdead10ccu

/* objects that are no more */

static address mark_of(const void *object, size_t size)
{
    return (address)object + size - sizeof(uint32_t);
}

void ex_check(const void *object, size_t size)
{
    ex_self->pc = ex_door.pc;
    ex_heap_check((address)object, size, true);
    if (ex_word(mark_of(object, size)) == DESTROYED)
        ex_fail("memory", "thread %d uses {at:%zx} at {pc:%zx}, which was destroyed",
                ex_self->number, (address)object, ex_self->pc);
}

void ex_destroy(void *object, size_t size, bool is_used)
{
    const uint32_t mark = DESTROYED;

    ex_settle();
    ex_check(object, size);
    if (is_used)
        ex_fail("memory", "thread %d destroys {at:%zx} at {pc:%zx}, which is in use",
                ex_self->number, (address)object, ex_self->pc);
    ex_access((address)object, size, WRITES);
    ex_plain_write(mark_of(object, size), &mark, sizeof(mark));
}

/* mutexes */

static bool is_free(value word, const struct thread *self)
{
    (void)self;
    return (uint32_t)word == 0;
}

static int kind_of(const void *mutex)
{
    return (int)ex_word((address)mutex + KIND) & 3;
}

static bool is_mine(const void *mutex)
{
    return ex_word((address)mutex) == ex_me();
}

static struct operation on_mutex(void *mutex)
{
    struct operation operation = ex_changes(mutex, MUTEX);

    operation.locks = true;
    return operation;
}

static void take(address at, const char *operation)
{
    ex_acquire(at);
    ex_set(operation, at, ex_me());
}

static void count_again(address at, int by)
{
    ex_settle();
    ex_word_set(at + 4, ex_word(at + 4) + (uint32_t)by);
    ex_spins_forget(ex_self);
}

/* False: it is held by this thread, and of a kind that says so. */
bool ex_lock(void *mutex)
{
    struct operation operation = on_mutex(mutex);
    address at = (address)mutex;

    ex_check(mutex, sizeof(pthread_mutex_t));
    if (is_mine(mutex)) {
        if (kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK)
            return false;
        if (kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE) {
            count_again(at, 1);
            return true;
        }
        ex_fail("deadlock", "thread %d locks {at:%zx} at {pc:%zx}, which it holds already",
                ex_self->number, at, ex_self->pc);
    }
    operation.open = is_free;
    operation.waits_for = "a lock";
    ex_point(operation);
    ex_check(mutex, sizeof(pthread_mutex_t));
    take(at, "lock");
    return true;
}

bool ex_try_lock(void *mutex)
{
    struct operation operation = on_mutex(mutex);
    address at = (address)mutex;

    ex_check(mutex, sizeof(pthread_mutex_t));
    if (is_mine(mutex) && kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE) {
        count_again(at, 1);
        return true;
    }
    operation.effect = COMPARES;
    operation.locks = false; /* others observe whether it is held */
    ex_point(operation);
    if (ex_word(at) == 0) {
        take(at, "trylock");
        return true;
    }
    ex_access(at, sizeof(uint32_t), ATOMIC_READS);
    ex_step("trylock", at, sizeof(uint32_t), ex_word(at), ex_word(at));
    return false;
}

/* False: it is not held by this thread, and of a kind that says so. */
bool ex_unlock(void *mutex)
{
    address at = (address)mutex;

    ex_check(mutex, sizeof(pthread_mutex_t));
    if (!is_mine(mutex) && kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK)
        return false;
    if (is_mine(mutex) && ex_word(at + 4) > 0) {
        count_again(at, -1);
        return true;
    }
    ex_point(on_mutex(mutex));
    if (!is_mine(mutex))
        ex_fail("exclusion", "thread %d unlocks {at:%zx} at {pc:%zx}, which it does not hold",
                ex_self->number, at, ex_self->pc);
    ex_release(at);
    ex_set("unlock", at, 0);
    return true;
}

static void initialise(void *mutex, int kind)
{
    const int with = kind;

    ex_fresh(mutex, sizeof(pthread_mutex_t));
    if (kind != 0)
        ex_plain_write((address)mutex + KIND, &with, sizeof(with));
}

int ENTRY(pthread_mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int kind = PTHREAD_MUTEX_DEFAULT;

    if (attributes != NULL)
        pthread_mutexattr_gettype(attributes, &kind);
    initialise(mutex, kind);
    return 0;
}

int ENTRY(pthread_mutex_destroy)(pthread_mutex_t *mutex)
{
    ex_destroy(mutex, sizeof(*mutex), ex_word((address)mutex) != 0);
    return 0;
}

int ENTRY(pthread_mutex_lock)(pthread_mutex_t *mutex)
{
    return ex_lock(mutex) ? 0 : EDEADLK;
}

int ENTRY(pthread_mutex_trylock)(pthread_mutex_t *mutex)
{
    return ex_try_lock(mutex) ? 0 : EBUSY;
}

int ENTRY(pthread_mutex_timedlock)(pthread_mutex_t *mutex, const struct timespec *until)
{
    (void)until;
    if (is_mine(mutex) && kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK)
        return EDEADLK;
    return ex_try_lock(mutex) ? 0 : ETIMEDOUT;
}

int ENTRY(pthread_mutex_clocklock)(pthread_mutex_t *mutex, clockid_t clock,
                                   const struct timespec *until)
{
    (void)clock;
    return ENTRY(pthread_mutex_timedlock)(mutex, until);
}

int ENTRY(pthread_mutex_unlock)(pthread_mutex_t *mutex)
{
    return ex_unlock(mutex) ? 0 : EPERM;
}

int ENTRY(mtx_init)(mtx_t *mutex, int type)
{
    initialise(mutex, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : 0);
    return thrd_success;
}

void ENTRY(mtx_destroy)(mtx_t *mutex)
{
    ex_destroy(mutex, sizeof(*mutex), ex_word((address)mutex) != 0);
}

int ENTRY(mtx_lock)(mtx_t *mutex)
{
    return ex_lock(mutex) ? thrd_success : thrd_error;
}

int ENTRY(mtx_trylock)(mtx_t *mutex)
{
    return ex_try_lock(mutex) ? thrd_success : thrd_busy;
}

int ENTRY(mtx_timedlock)(mtx_t *mutex, const struct timespec *until)
{
    (void)until;
    return ex_try_lock(mutex) ? thrd_success : thrd_timedout;
}

int ENTRY(mtx_unlock)(mtx_t *mutex)
{
    return ex_unlock(mutex) ? thrd_success : thrd_error;
}

/* spinlocks: the owner's number + 1. On x86 the unlock is a plain store, which the buffer keeps. */

static struct operation on_spinlock(pthread_spinlock_t *lock)
{
    struct operation operation = ex_changes((void *)lock, sizeof(uint32_t));

    ex_settle();
    ex_self->pc = ex_door.pc;
    ex_heap_check((address)lock, sizeof(uint32_t), true);
    operation.locks = true;
    return operation;
}

int ENTRY(pthread_spin_init)(pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    ex_fresh((void *)lock, sizeof(*lock));
    return 0;
}

int ENTRY(pthread_spin_destroy)(pthread_spinlock_t *lock)
{
    if (ex_visible(ex_self, (address)lock, sizeof(*lock)) != 0) {
        ex_self->pc = ex_door.pc;
        ex_fail("memory", "thread %d destroys {at:%zx} at {pc:%zx}, which is in use",
                ex_self->number, (address)lock, ex_self->pc);
    }
    ex_fresh((void *)lock, sizeof(*lock));
    return 0;
}

int ENTRY(pthread_spin_lock)(pthread_spinlock_t *lock)
{
    struct operation operation = on_spinlock(lock);
    address at = (address)lock;

    if (ex_visible(ex_self, at, sizeof(*lock)) == ex_me())
        ex_fail("deadlock", "thread %d locks {at:%zx} at {pc:%zx}, which it holds already",
                ex_self->number, at, ex_self->pc);
    operation.open = is_free;
    operation.waits_for = "a lock";
    ex_point(operation);
    take(at, "lock");
    return 0;
}

int ENTRY(pthread_spin_trylock)(pthread_spinlock_t *lock)
{
    struct operation operation = on_spinlock(lock);
    address at = (address)lock;

    operation.effect = COMPARES;
    operation.locks = false;
    ex_point(operation);
    if (ex_word(at) == 0) {
        take(at, "trylock");
        return 0;
    }
    ex_access(at, sizeof(uint32_t), ATOMIC_READS);
    ex_step("trylock", at, sizeof(uint32_t), ex_word(at), ex_word(at));
    return EBUSY;
}

int ENTRY(pthread_spin_unlock)(pthread_spinlock_t *lock)
{
    address at = (address)lock;

    ex_settle();
    ex_self->pc = ex_door.pc;
    ex_heap_check(at, sizeof(uint32_t), true);
    if (ex_visible(ex_self, at, sizeof(*lock)) != ex_me())
        ex_fail("exclusion", "thread %d unlocks {at:%zx} at {pc:%zx}, which it does not hold",
                ex_self->number, at, ex_self->pc);
    if (ex_options.tso)
        ex_store(at, sizeof(*lock), 0, RELEASE);
    else {
        ex_point(on_spinlock(lock));
        ex_release(at);
        ex_set("unlock", at, 0);
    }
    return 0;
}

/* reader-writer locks: the writer's number + 1, then the number of readers */

static bool no_writer(value words, const struct thread *self)
{
    (void)self;
    return (uint32_t)words == 0;
}

static bool nobody(value words, const struct thread *self)
{
    (void)self;
    return (uint64_t)words == 0;
}

static struct operation on_rwlock(pthread_rwlock_t *rwlock)
{
    struct operation operation = ex_changes(rwlock, 8);

    ex_settle();
    ex_check(rwlock, sizeof(*rwlock));
    operation.locks = true;
    return operation;
}

/* The place of a lock among those that the thread reads under, or a free one. */
static struct read_lock *read_lock_of(address at)
{
    struct read_lock *free = NULL;

    for (int i = 0; i < MAX_READ_LOCKS; i++) {
        struct read_lock *one = &ex_self->read_locks[i];

        if (one->times > 0 && one->at == at)
            return one;
        if (one->times == 0)
            free = one;
    }
    if (free == NULL)
        ex_give_up("a thread is inside more than %d locks as a reader", MAX_READ_LOCKS);
    return free;
}

/* Readers acquire what writers have released, and writers what all have: a reader that left says
 * nothing to the next. */
static int enter(pthread_rwlock_t *rwlock, bool writes)
{
    address at = (address)rwlock;

    ex_acquire(at);
    if (writes) {
        ex_acquire(at + 4);
        ex_set("write_lock", at, ex_me());
    } else {
        struct read_lock *own = read_lock_of(at);

        *own = (struct read_lock){at, own->times + 1};
        ex_set("read_lock", at + 4, ex_word(at + 4) + 1);
    }
    return 0;
}

/* The conductor's are not known: check may leave what setup has entered. */
static bool reads_under(address at)
{
    return ex_self->number == ex_conductor ? ex_word(at + 4) > 0 : read_lock_of(at)->times > 0;
}

int ENTRY(pthread_rwlock_init)(pthread_rwlock_t *rwlock, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    ex_fresh(rwlock, sizeof(*rwlock));
    return 0;
}

int ENTRY(pthread_rwlock_destroy)(pthread_rwlock_t *rwlock)
{
    ex_destroy(rwlock, sizeof(*rwlock), !nobody(ex_bytes((address)rwlock, 8), ex_self));
    return 0;
}

int ENTRY(pthread_rwlock_rdlock)(pthread_rwlock_t *rwlock)
{
    struct operation operation = on_rwlock(rwlock);

    operation.open = no_writer;
    operation.kind = READERS;
    operation.waits_for = "a lock's writer";
    ex_point(operation);
    return enter(rwlock, false);
}

int ENTRY(pthread_rwlock_wrlock)(pthread_rwlock_t *rwlock)
{
    struct operation operation = on_rwlock(rwlock);

    operation.open = nobody;
    operation.waits_for = "a lock's holders";
    ex_point(operation);
    return enter(rwlock, true);
}

static int try_to_enter(pthread_rwlock_t *rwlock, bool writes, int otherwise)
{
    struct operation operation = on_rwlock(rwlock);

    operation.locks = false;
    ex_point(operation);
    if ((writes ? nobody : no_writer)(ex_bytes((address)rwlock, 8), ex_self))
        return enter(rwlock, writes);
    return otherwise;
}

int ENTRY(pthread_rwlock_tryrdlock)(pthread_rwlock_t *rwlock)
{
    return try_to_enter(rwlock, false, EBUSY);
}

int ENTRY(pthread_rwlock_trywrlock)(pthread_rwlock_t *rwlock)
{
    return try_to_enter(rwlock, true, EBUSY);
}

int ENTRY(pthread_rwlock_timedrdlock)(pthread_rwlock_t *rwlock, const struct timespec *until)
{
    (void)until;
    return try_to_enter(rwlock, false, ETIMEDOUT);
}

int ENTRY(pthread_rwlock_timedwrlock)(pthread_rwlock_t *rwlock, const struct timespec *until)
{
    (void)until;
    return try_to_enter(rwlock, true, ETIMEDOUT);
}

int ENTRY(pthread_rwlock_unlock)(pthread_rwlock_t *rwlock)
{
    struct operation operation = on_rwlock(rwlock);
    address at = (address)rwlock;
    bool writes = ex_word(at) == ex_me();

    operation.kind = writes ? OTHER : READERS;
    ex_point(operation);
    if (!writes && !reads_under(at))
        ex_fail("exclusion", "thread %d unlocks {at:%zx} at {pc:%zx}, which it does not hold",
                ex_self->number, at, ex_self->pc);
    if (writes) {
        ex_release(at);
        ex_set("unlock", at, 0);
    } else {
        if (ex_self->number != ex_conductor)
            read_lock_of(at)->times--;
        ex_release(at + 4);
        ex_set("unlock", at + 4, ex_word(at + 4) - 1);
    }
    return 0;
}
