/* The last reference frees: release when it is dropped, an acquire fence before the free. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int refs;
    int value;
    int notes[2];
};

static void put(struct object *o)
{
    if (atomic_fetch_sub_explicit(&o->refs, 1, memory_order_release) == 1) {
        atomic_thread_fence(memory_order_acquire);
        assert(o->notes[0] + o->notes[1] == 10);
        free(o);
    }
}

static void *first(void *arg)
{
    struct object *o = arg;

    o->notes[0] = o->value;
    put(o);
    return NULL;
}

static void *second(void *arg)
{
    struct object *o = arg;

    o->notes[1] = o->value;
    put(o);
    return NULL;
}

int main(void)
{
    struct object *o = malloc(sizeof *o);
    pthread_t a, b;

    if (!o)
        return 0;
    atomic_init(&o->refs, 3);
    o->value = 5;
    pthread_create(&a, NULL, first, o);
    pthread_create(&b, NULL, second, o);
    put(o);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
