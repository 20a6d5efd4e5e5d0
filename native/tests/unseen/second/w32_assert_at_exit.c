/* A lost update, which only a function of atexit() sees. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int hits;

static void check(void)
{
    assert(hits == 2);
}

static void *worker(void *unused)
{
    int n = atomic_load(&hits);

    atomic_store(&hits, n + 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    if (atexit(check) != 0)
        return 0;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
