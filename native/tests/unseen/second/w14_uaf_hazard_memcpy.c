/* A hazard pointer without the second look; the copy is a memcpy. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct conf { int a, b; };

static struct conf *_Atomic current;
static struct conf *_Atomic hazard;
static struct conf *retired;

static void *reader(void *unused)
{
    struct conf mine, *p = atomic_load(&current);

    atomic_store(&hazard, p);
    memcpy(&mine, p, sizeof mine);      /* p may be old already */
    atomic_store(&hazard, NULL);
    assert(mine.a == mine.b);
    return unused;
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

    if (!one || !two)
        abort();
    *one = (struct conf){ 1, 1 };
    *two = (struct conf){ 2, 2 };
    current = one;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, two);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    free(retired);
    free(two);
    return 0;
}
