/* A timed wait: either the answer is there, or the time was up. */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool ready;
static int answer;

static void *producer(void *unused)
{
    pthread_mutex_lock(&m);
    answer = 42;
    ready = true;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    const struct timespec deadline = { .tv_sec = 4000000000 };
    pthread_t t;
    int e = 0;

    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!ready && e == 0)
        e = pthread_cond_timedwait(&c, &m, &deadline);
    if (ready)
        assert(answer == 42);
    else
        assert(e == ETIMEDOUT && answer == 0);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    assert(ready);
    return 0;
}
