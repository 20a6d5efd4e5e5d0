/* Thread-specific data; the destructor adds it to the total and frees it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
static atomic_long total, refused;

static void flush(void *p)
{
    long *n = p;

    atomic_fetch_add(&total, *n);
    free(n);
}

static void count(long by)
{
    long *n = pthread_getspecific(key);

    if (!n) {
        n = calloc(1, sizeof *n);
        if (!n || pthread_setspecific(key, n) != 0) {
            free(n);
            atomic_fetch_add(&refused, by);
            return;
        }
    }
    *n += by;
}

static void *worker(void *arg)
{
    count(*(const int *)arg);
    count(1);
    return NULL;
}

int main(void)
{
    static const int by[2] = { 10, 20 };
    pthread_t t[2];

    if (pthread_key_create(&key, flush) != 0)
        return 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)&by[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(total + refused == 32);
    assert(pthread_getspecific(key) == NULL);
    pthread_key_delete(key);
    return 0;
}
