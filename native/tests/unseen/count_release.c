/* A reference count whose last drop does not acquire. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object { _Atomic int references; int value; };

static int sum[2];

static void use(struct object *object, int me)
{
    sum[me] = object->value;
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_release) == 1)
        free(object);
}

static void *other(void *argument)
{
    use(argument, 1);
    return NULL;
}

int main(void)
{
    struct object *object = malloc(sizeof *object);
    pthread_t thread;

    atomic_init(&object->references, 2);
    object->value = 7;
    pthread_create(&thread, NULL, other, object);
    use(object, 0);
    pthread_join(thread, NULL);
    return 0;
}
