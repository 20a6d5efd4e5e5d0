/* One hazard pointer: the reader announces what it reads, then looks whether it is still current. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct conf { int a, b; };

static struct conf *_Atomic current;
static struct conf *_Atomic hazard;
static struct conf *retired;

static void *reader(void *unused)
{
    struct conf *p, *again;

    (void)unused;
    p = atomic_load(&current);
    for (;;) {
        atomic_store(&hazard, p);
        again = atomic_load(&current);
        if (again == p)
            break;
        p = again;
    }
    assert(p->a == p->b);
    atomic_store_explicit(&hazard, NULL, memory_order_release);
    return NULL;
}

static void *writer(void *new)
{
    struct conf *old = atomic_exchange(&current, new);

    if (atomic_load(&hazard) == old)
        retired = old;
    else
        free(old);
    return NULL;
}

int main(void)
{
    struct conf *one = malloc(sizeof *one), *two = malloc(sizeof *two);
    pthread_t r, w;

    if (one && two) {
        *one = (struct conf){ 1, 1 };
        *two = (struct conf){ 2, 2 };
        atomic_init(&current, one);
        pthread_create(&r, NULL, reader, NULL);
        pthread_create(&w, NULL, writer, two);
        pthread_join(r, NULL);
        pthread_join(w, NULL);
        one = retired;
    }
    free(one);
    free(two);
    return 0;
}
