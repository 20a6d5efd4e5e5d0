/* SPDX-License-Identifier: MIT */
/* Programs of two threads whose verdict was once wrong: CASE. What each should get is in
 * explorer/test_sound.py. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RELAXED memory_order_relaxed

static _Atomic int x, y, flags[2], words[24], failed;
static int plain, seen[2];
static _Thread_local int mine = 3;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spinlocks[2];
static pthread_barrier_t barrier;
static char text[32] = "text";
static int *_Atomic pointer;

static int load(_Atomic int *word)
{
    return atomic_load_explicit(word, RELAXED);
}

static void store(_Atomic int *word, int value)
{
    atomic_store_explicit(word, value, RELAXED);
}

void locklab_setup(void)
{
    pthread_spin_init(&spinlocks[0], PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&spinlocks[1], PTHREAD_PROCESS_PRIVATE);
}

static void test_and_set(_Atomic int *word)
{
    int free_now = 0;

    while (!atomic_compare_exchange_strong(word, &free_now, 1))
        free_now = 0;
}

static int *local_variable(void)
{
    int gone = 1;
    int *volatile at = &gone;

    return at;
}

static void both(int me)
{
    switch (CASE) {
    case 1: /* thread 0 comes again, and only then can the other one see 2 */
        if (me == 0) {
            for (int i = 1; i <= 2; i++) {
                atomic_store(&x, i);
                atomic_store(&x, 0);
            }
        } else {
            locklab_assert(atomic_load(&x) != 2);
        }
        break;
    case 2: /* test and test-and-set, round nothing */
        for (;;) {
            while (atomic_load(&x))
                ;
            if (!atomic_exchange(&x, 1))
                break;
        }
        atomic_store(&x, 0);
        break;
    case 3: /* polls a plain flag under a mutex */
        if (me == 0) {
            for (bool set = false; !set;) {
                pthread_mutex_lock(&mutex);
                set = plain;
                pthread_mutex_unlock(&mutex);
            }
        } else {
            pthread_mutex_lock(&mutex);
            plain = 1;
            pthread_mutex_unlock(&mutex);
        }
        break;
    case 4: /* store buffering, with many stores between */
        store(&flags[me], 1);
        for (int i = 0; i < 12; i++)
            store(&words[12 * me + i], i);
        seen[me] = load(&flags[!me]);
        break;
    case 5: /* who stores last? */
        store(&x, me + 1);
        break;
    case 6: /* the unlock of a spinlock is a plain store: store buffering past it */
        pthread_spin_lock(&spinlocks[me]);
        store(&flags[me], 1);
        pthread_spin_unlock(&spinlocks[me]);
        seen[me] = load(&flags[!me]);
        break;
    case 7: /* two locks in both orders */
        test_and_set(me ? &x : &y);
        test_and_set(me ? &y : &x);
        atomic_store(&x, 0);
        atomic_store(&y, 0);
        break;
    case 8: /* reads what nobody uses, while the other writes it */
        if (me == 0) {
            plain = 1;
        } else {
            int unused = plain;
            (void)unused;
        }
        break;
    case 9: /* writes what nobody reads, after free */
        if (me == 0) {
            int *block = malloc(sizeof(int));
            free(block);
            *block = 1;
        }
        break;
    case 10: /* waits a random time */
        if (me == 0)
            while (!atomic_load(&x))
                for (int i = rand() % 3; i > 0; i--)
                    LOCKLAB_PAUSE();
        else
            atomic_store(&x, 1);
        break;
    case 11: /* each has an errno of its own */
        errno = me;
        atomic_fetch_add(&x, 1);
        locklab_assert(errno == me);
        break;
    case 12:
        free(strndup(text, 2));
        break;
    case 13: { /* a mutex that says what is wrong */
        pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

        locklab_assert(pthread_mutex_unlock(&checked) == EPERM);
        locklab_assert(pthread_mutex_lock(&checked) == 0);
        locklab_assert(pthread_mutex_lock(&checked) == EDEADLK);
        locklab_assert(pthread_mutex_unlock(&checked) == 0);
        break;
    }
    case 14: /* the compiler does not announce what these read and write */
        if (me == 0)
            strcat(text, "s");
        else
            strcat(text, "t");
        break;
    case 15:
        if (me == 0) {
            char copy[32];
            snprintf(copy, sizeof(copy), "%d %s", me, text);
        } else {
            text[0] = 'T';
        }
        break;
    case 16:
        if (me == 0)
            locklab_assert(*local_variable() == 1);
        break;
    case 17: /* destroys a mutex that is held */
        if (me == 0) {
            pthread_mutex_lock(&mutex);
            pthread_mutex_destroy(&mutex);
        }
        break;
    case 18: /* does not look again after it woke up */
        pthread_mutex_lock(&mutex);
        if (me == 0) {
            if (!plain)
                pthread_cond_wait(&condition, &mutex);
            locklab_assert(plain);
        } else {
            plain = 1;
            pthread_cond_signal(&condition);
        }
        pthread_mutex_unlock(&mutex);
        break;
    case 19: { /* takes a failure for a value that is there */
        int zero = 0;

        if (me == 0)
            locklab_assert(atomic_compare_exchange_weak(&x, &zero, 1));
        break;
    }
    case 20: /* each has a variable of its own, and may lend it */
        mine += me;
        locklab_assert(mine == 3 + me);
        break;
    case 21: { /* the time may be over before anybody signals, or not */
        const struct timespec soon = {0, 0};

        pthread_mutex_lock(&mutex);
        if (me == 0) {
            int result = plain ? 0 : pthread_cond_timedwait(&condition, &mutex, &soon);
            locklab_assert(result == 0 || result == ETIMEDOUT);
            locklab_assert(WANTED != result);
        } else {
            plain = 1;
            pthread_cond_signal(&condition);
        }
        pthread_mutex_unlock(&mutex);
        break;
    }
    case 22:
        locklab_assume(me == 1);
        locklab_assert(me == 1);
        break;
    case 23:
        if (me == 0)
            (void)!malloc(8);
        break;
    case 24: /* a later relaxed store of the thread that released */
        if (me == 0) {
            plain = 1;
            atomic_store_explicit(&x, 1, memory_order_release);
            store(&x, 2);
        } else if (atomic_load_explicit(&x, memory_order_acquire) == 2) {
            locklab_assert(plain == 1);
        }
        break;
    case 25: /* after you */
        for (;;) {
            atomic_store(&flags[me], 1);
            if (!atomic_load(&flags[!me]))
                break;
            atomic_store(&flags[me], 0);
        }
        atomic_store(&flags[me], 0);
        break;
    case 26: /* malloc orders nothing */
        if (me == 0)
            atomic_store_explicit(&pointer, malloc(sizeof(int)), RELAXED);
        else if (atomic_load_explicit(&pointer, RELAXED))
            *atomic_load_explicit(&pointer, RELAXED) = 1;
        break;
    case 27: /* two threads poll under one mutex, for what each gives the other */
        for (bool set = false; !set;) {
            pthread_mutex_lock(&mutex);
            set = flags[!me];
            flags[me] = me == 0 || set;
            pthread_mutex_unlock(&mutex);
        }
        break;
    case 28: /* no power of two */
        if (me == 0)
            free(aligned_alloc(24, 48));
        break;
    case 29: /* no object is so large */
        if (me == 0)
            free(malloc(SIZE_MAX - 1));
        break;
    case 30: /* a barrier twice, without its end */
    case 31: /* with it */
        if (me == 0)
            for (int i = 0; i < 2; i++) {
                if (i == 1 && CASE == 31)
                    pthread_barrier_destroy(&barrier);
                pthread_barrier_init(&barrier, NULL, 1);
                pthread_barrier_wait(&barrier);
            }
        break;
    case 32: /* a block that may not be there */
    case 33: /* who asks for it knows */
    {
        int *block = malloc(sizeof(*block));

        if (CASE == 32 || block != NULL)
            *block = me;
        free(block);
        break;
    }
    }
}

void locklab_thread(int me)
{
    both(me);
}

void locklab_check(void)
{
    if (CASE == 4 || CASE == 6)
        locklab_assert(seen[0] || seen[1]);
    if (CASE == 5)
        locklab_assert(x != WANTED);
}
