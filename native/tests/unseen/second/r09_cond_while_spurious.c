/* The waiter looks again at its condition each time that it wakes up. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool ready;
static int data;

static void *producer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    data = 42;
    ready = true;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);    /* after the unlock, which is allowed */
    return NULL;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    assert(data == 42);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    pthread_cond_destroy(&c);
    pthread_mutex_destroy(&m);
    return 0;
}
