/* Double-checked locking on an atomic pointer. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct thing { int value; };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct thing *_Atomic thing;

static void *use(void *unused)
{
    struct thing *found = atomic_load_explicit(&thing, memory_order_acquire);

    if (!found) {
        pthread_mutex_lock(&mutex);
        found = atomic_load_explicit(&thing, memory_order_relaxed);
        if (!found) {
            found = malloc(sizeof *found);
            found->value = 42;
            atomic_store_explicit(&thing, found, memory_order_release);
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(found->value == 42);
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
