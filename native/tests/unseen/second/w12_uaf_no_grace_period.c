/* The writer frees the old version at once; a reader may still be copying it (struct assignment). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct conf { int a, b, c; };

static struct conf *_Atomic current;

static void *reader(void *unused)
{
    struct conf mine = *atomic_load_explicit(&current, memory_order_acquire);

    assert(mine.a == mine.c);
    return unused;
}

static void *writer(void *new)
{
    struct conf *old = atomic_exchange(&current, new);

    free(old);
    return NULL;
}

int main(void)
{
    struct conf *one = malloc(sizeof *one), *two = malloc(sizeof *two);
    pthread_t r, w;

    if (!one || !two)
        abort();
    *one = (struct conf){ 1, 1, 1 };
    *two = (struct conf){ 2, 2, 2 };
    current = one;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, two);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    free(two);
    return 0;
}
