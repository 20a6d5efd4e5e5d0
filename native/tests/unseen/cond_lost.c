/* The flag is set and signalled without the mutex. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static _Atomic int ready;

static void *setter(void *unused)
{
    atomic_store(&ready, 1);
    pthread_cond_signal(&cond);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, setter, NULL);
    pthread_mutex_lock(&mutex);
    while (!atomic_load(&ready))
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
