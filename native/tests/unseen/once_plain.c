/* Double-checked locking on a plain pointer. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct thing { int value; };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct thing *thing;

static void *use(void *unused)
{
    if (!thing) {
        pthread_mutex_lock(&mutex);
        if (!thing) {
            struct thing *fresh = malloc(sizeof *fresh);

            fresh->value = 42;
            thing = fresh;
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(thing->value == 42);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
