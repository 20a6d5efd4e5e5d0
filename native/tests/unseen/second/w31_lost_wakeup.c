/* The flag is set without the lock: between the look and the wait of the other. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_bool ready;

static void *producer(void *unused)
{
    atomic_store(&ready, true);
    pthread_cond_signal(&c);
    return unused;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!atomic_load(&ready))
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
