/* SPDX-License-Identifier: MIT */
/* What POSIX offers, each with a right use (odd CASE: a wrong one). */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spinlock;
static sem_t semaphore;
int count, ready; /* not static: what is only written would be left out */

static void initialise(void)
{
    count = 1;
}

static void *work(void *argument)
{
    int me = *(int *)argument;

    switch (CASE) {
    case 0:
        pthread_mutex_lock(&mutex);
        count++;
        pthread_mutex_unlock(&mutex);
        break;
    case 1: /* the two mutexes in both orders */
        pthread_mutex_lock(me ? &mutex : &second);
        pthread_mutex_lock(me ? &second : &mutex);
        pthread_mutex_unlock(&mutex);
        pthread_mutex_unlock(&second);
        break;
    case 2:
    case 3: /* sleeps without looking again whether it must */
        pthread_mutex_lock(&mutex);
        if (me == 0) {
            ready = 1;
            pthread_cond_signal(&condition);
        } else if (CASE == 3) {
            pthread_cond_wait(&condition, &mutex);
        } else {
            while (!ready)
                pthread_cond_wait(&condition, &mutex);
        }
        pthread_mutex_unlock(&mutex);
        break;
    case 4:
    case 5: /* writes as a reader */
        if (CASE == 5 || me == 0)
            pthread_rwlock_rdlock(&rwlock);
        else
            pthread_rwlock_wrlock(&rwlock);
        if (me == 0)
            ready = count;
        else
            count++;
        pthread_rwlock_unlock(&rwlock);
        break;
    case 6:
    case 7: /* one too few at the barrier */
        if (me == 0)
            count = 5;
        if (CASE == 6 || me == 0)
            pthread_barrier_wait(&barrier);
        if (CASE == 6 && count != 5)
            abort();
        break;
    case 8:
        pthread_once(&once, initialise);
        if (count != 1)
            abort();
        break;
    case 9: /* unlocks what it does not hold */
        pthread_mutex_unlock(&mutex);
        break;
    case 10:
        sem_wait(&semaphore);
        count++;
        sem_post(&semaphore);
        break;
    case 11: /* locks what it holds */
        pthread_mutex_lock(&mutex);
        pthread_mutex_lock(&mutex);
        break;
    case 12:
        pthread_spin_lock(&spinlock);
        count++;
        pthread_spin_unlock(&spinlock);
        break;
    case 13: /* forgets to unlock */
        pthread_spin_lock(&spinlock);
        count++;
        break;
    }
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    void *result;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore, 0, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &result);
        if (result != &numbers[i])
            abort();
    }
    return 0;
}
