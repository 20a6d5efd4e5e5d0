/* SPDX-License-Identifier: MIT */
/*
 * Threads do something before they begin, one at a time.
 *
 * BUG: 1 one of them waits forever, 2 fails, 3 makes a thread; 4 a thread sends one on an errand.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
enum { STACK_BITS = 18, ROUNDS = 1000, THREADS = 2 };

static _Atomic unsigned word;
static unsigned plain, done[THREADS];
static uintptr_t stack[THREADS];
static unsigned *made[THREADS];

static void *nothing(void *unused)
{
    return unused;
}

static void errand(int me)
{
    unsigned local = 0;
    pthread_t thread;

    stack[me] = (uintptr_t)&local >> STACK_BITS;
    if (made[me] == NULL)
        made[me] = calloc(1, sizeof(*made[me]));
    done[me]++;
    plain++;
    *made[me] += 1;
    atomic_fetch_add(&word, 2);
    while (BUG == 1 && done[1] == 100 && atomic_load(&word) % 2 == 0)
        continue;
    if (BUG == 2 && done[1] == 100)
        locklab_fail("that will do");
    if (BUG == 3 && pthread_create(&thread, NULL, nothing, NULL) == 0)
        pthread_join(thread, NULL);
}

void locklab_setup(void)
{
    for (int i = 0; i < ROUNDS; i++)
        locklab_as(i % THREADS, errand);
}

void locklab_thread(int me)
{
    unsigned local = 0;

    locklab_assert(stack[me] == (uintptr_t)&local >> STACK_BITS);
    locklab_assert(plain == ROUNDS && done[me] == ROUNDS / THREADS);
    locklab_assert(*made[me] == done[me]);
    atomic_fetch_add(&word, 1);
    *made[me] = 0;
    if (BUG == 4)
        locklab_as(1 - me, errand);
}

void locklab_check(void)
{
    locklab_assert(atomic_load(&word) == 2 * ROUNDS + THREADS);
    for (int i = 0; i < THREADS; i++)
        free(made[i]);
}
