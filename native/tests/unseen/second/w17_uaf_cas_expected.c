/* The failed compare-and-swap writes what it saw into a block that is free. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct attempt { int seen; };

static atomic_int owner = 9;
static struct attempt *_Atomic pending;

static void *try_(void *unused)
{
    struct attempt *a = atomic_load(&pending);

    if (a)
        atomic_compare_exchange_strong(&owner, &a->seen, 1);
    return unused;
}

static void *cancel(void *unused)
{
    free(atomic_exchange(&pending, NULL));
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pending = calloc(1, sizeof *pending);
    pthread_create(&a, NULL, try_, NULL);
    pthread_create(&b, NULL, cancel, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
