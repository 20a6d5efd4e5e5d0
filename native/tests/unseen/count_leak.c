/* A reference count that is counted down by a load and a store. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object { _Atomic int references; int value; };

static void *drop(void *argument)
{
    struct object *object = argument;
    int left = atomic_load(&object->references) - 1;

    atomic_store(&object->references, left);
    if (left == 0)
        free(object);
    return NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    pthread_t a, b;

    atomic_init(&object->references, 2);
    pthread_create(&a, NULL, drop, object);
    pthread_create(&b, NULL, drop, object);
    object = NULL;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
