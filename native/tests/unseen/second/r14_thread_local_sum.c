/* Thread-local counters, added up at the end of each thread. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct { int hits, limit; } mine = { .limit = 3 };
static int sum;

static void hit(void)
{
    static _Thread_local int calls;

    if (mine.hits < mine.limit)
        mine.hits++;
    calls++;
    assert(calls >= mine.hits);
}

static void *worker(void *arg)
{
    int n = *(const int *)arg;

    assert(mine.hits == 0);
    while (n-- > 0)
        hit();
    pthread_mutex_lock(&m);
    sum += mine.hits;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    static const int n[2] = { 2, 5 };
    pthread_t t[2];

    hit();
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)&n[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(sum == 5 && mine.hits == 1);
    return 0;
}
