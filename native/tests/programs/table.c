/* SPDX-License-Identifier: MIT */
/* Runs the operations that the file $OPERATIONS lists, and adds to the file $STATES what came of a
 * run: one line with the words' last values, then all that was read. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST 8

struct operation {
    int what, word, value;
};

static _Atomic int words[4];
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static struct operation operations[4][MOST];
static int lengths[4], seen[4][MOST];

void locklab_setup(void)
{
    int values[3 * MOST * 4 + 4], *at = values;
    int file = open(getenv("OPERATIONS"), O_RDONLY);

    (void)!read(file, values, sizeof(values));
    close(file);
    for (int i = 0; i < locklab_threads(); i++) {
        lengths[i] = *at++;
        for (int j = 0; j < lengths[i]; j++, at += 3)
            operations[i][j] = (struct operation){at[0], at[1], at[2]};
    }
}

static int do_one(const struct operation *one)
{
    _Atomic int *word = &words[one->word];
    int zero = 0, found;

    switch (one->what) {
    case 0:
        return atomic_load_explicit(word, memory_order_relaxed);
    case 1:
        atomic_store_explicit(word, one->value, memory_order_relaxed);
        return 0;
    case 2:
        atomic_store(word, one->value);
        return 0;
    case 3:
        return atomic_fetch_add(word, one->value);
    case 4:
        return atomic_compare_exchange_strong(word, &zero, one->value);
    case 5:
        atomic_thread_fence(memory_order_seq_cst);
        return 0;
    case 6:
        return pthread_mutex_lock(&mutexes[one->word % 2]);
    case 7:
        return pthread_mutex_unlock(&mutexes[one->word % 2]);
    case 8: /* waits for a value */
        while (atomic_load_explicit(word, memory_order_relaxed) != one->value)
            ;
        return 0;
    case 9: /* waits for a value, under a mutex */
        do {
            pthread_mutex_lock(&mutexes[0]);
            found = atomic_load_explicit(word, memory_order_relaxed);
            pthread_mutex_unlock(&mutexes[0]);
        } while (found != one->value);
        return 0;
    case 10: /* test and set */
        while (atomic_exchange(word, 1))
            ;
        return 0;
    case 11: /* announces itself, and withdraws while the next word is set */
        for (;;) {
            atomic_store(word, 1);
            if (!atomic_load(&words[(one->word + 1) % 4]))
                return 0;
            atomic_store(word, 0);
        }
    case 12: /* gives up where it finds the mutex taken */
        if (pthread_mutex_trylock(&mutexes[one->word % 2]))
            return 1;
        pthread_mutex_unlock(&mutexes[one->word % 2]);
        return 0;
    case 13:
        return pthread_rwlock_rdlock(&rwlock);
    case 14:
        return pthread_rwlock_wrlock(&rwlock);
    case 15:
        return pthread_rwlock_unlock(&rwlock);
    case 16:
        return sem_post(&semaphore);
    case 17:
        return sem_wait(&semaphore);
    }
    return 0;
}

void locklab_thread(int me)
{
    for (int i = 0; i < lengths[me]; i++)
        seen[me][i] = do_one(&operations[me][i]);
}

void locklab_check(void)
{
    int file = open(getenv("STATES"), O_WRONLY | O_APPEND);

    for (int i = 0; i < 4; i++)
        dprintf(file, "%d ", words[i]);
    for (int i = 0; i < locklab_threads(); i++)
        for (int j = 0; j < lengths[i]; j++)
            dprintf(file, "%d ", seen[i][j]);
    dprintf(file, "\n");
    close(file);
}
