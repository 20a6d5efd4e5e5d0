/* SPDX-License-Identifier: MIT */
/*
 * A long setup, and threads that change all that it leaves.
 *
 * BUG: 1 a block that setup has freed is used; 2 past the end of one that it has made; 3 the threads
 * race on a word that setup has written. FORKS: setup makes a thread for one of its numbers.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef FORKS
#define FORKS 0
#endif
#ifndef LONG
#define LONG 40000 /* stores: more than a run of a complete search may remember */
#endif

static _Atomic unsigned word, other;
static unsigned plain, number;
static unsigned *block, *gone;
static _Thread_local unsigned own;

static void *forked(void *unused)
{
    atomic_fetch_add(&other, 1);
    return unused;
}

void locklab_setup(void)
{
    number = locklab_any(3);
    block = malloc(2 * sizeof(*block));
    gone = malloc(sizeof(*gone));
    *block = number;
    *gone = number;
    for (unsigned i = 0; i < LONG; i++) {
        atomic_store_explicit(&word, i, memory_order_relaxed);
        plain++;
    }
    own = number;
    if (BUG == 1)
        free(gone);
    if (FORKS && number == 1) {
        pthread_t made;

        pthread_create(&made, NULL, forked, NULL);
        pthread_join(made, NULL);
    }
}

void locklab_thread(int me)
{
    locklab_assert(plain == LONG && *block == number && own == 0);
    locklab_assert(atomic_load_explicit(&word, memory_order_relaxed) >= LONG - 1);
    own = 7;
    if (me == 1 && BUG == 2)
        block[2] = 1;
    if (BUG == 3)
        plain = 0;
    atomic_fetch_add(&word, 1);
    atomic_store_explicit(&other, atomic_load_explicit(&other, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (BUG == 1)
        *gone = 1;
}

void locklab_check(void)
{
    unsigned seen = atomic_load(&other);

    locklab_assert(atomic_load(&word) == LONG + 1);
    locklab_assert((seen == 1 || seen == 2) + FORKS * (number == 1) >= 1);
    locklab_assert(own == number);
    *block = plain = own = 99;
    free(block);
    if (BUG != 1)
        free(gone);
}
