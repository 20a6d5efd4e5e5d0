/* Look, free, clear: both threads may look before one has cleared. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *_Atomic cache;

static void *shrink(void *unused)
{
    void *p = atomic_load(&cache);

    if (p) {
        atomic_store(&cache, NULL);     /* an exchange is needed */
        free(p);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;

    cache = malloc(32);
    pthread_create(&a, NULL, shrink, NULL);
    pthread_create(&b, NULL, shrink, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
