/* SPDX-License-Identifier: MIT */
/* Setup (IN_SETUP) or check waits for a word that no thread changes, or for a lock that none opens
 * (LOCKED). */
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int word;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void wait(void)
{
#if LOCKED
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
#else
    while (atomic_load(&word) % 2 == 0)
        continue;
#endif
}

void locklab_setup(void)
{
    if (IN_SETUP)
        wait();
}

void locklab_thread(int me)
{
    (void)me;
    atomic_fetch_add(&word, 2);
}

void locklab_check(void)
{
    if (!IN_SETUP)
        wait();
}
