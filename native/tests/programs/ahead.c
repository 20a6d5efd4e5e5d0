/* SPDX-License-Identifier: MIT */
/*
 * A thread that goes on as long as it can, beside one that holds a lock for a while.
 *
 * WAITS: it takes the lock too, so another thread has to go on before it.
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int word;

void locklab_thread(int me)
{
    if (me == 0) {
        pthread_mutex_lock(&mutex);
        atomic_fetch_add(&word, 1);
        pthread_mutex_unlock(&mutex);
        return;
    }
    locklab_ahead(1);
    if (WAITS)
        pthread_mutex_lock(&mutex);
    atomic_fetch_add(&word, 1);
    if (WAITS)
        pthread_mutex_unlock(&mutex);
    if (locklab_waited())
        locklab_fail("it waits");
    locklab_ahead(0);
}
