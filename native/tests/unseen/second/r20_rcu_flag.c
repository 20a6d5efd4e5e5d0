/* A grace period of one's own: the writer waits until the reader has been outside. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { int key, value; };

static struct node *_Atomic ptr;
static atomic_int reading;

static void *reader(void *unused)
{
    (void)unused;
    atomic_store(&reading, 1);
    struct node *p = atomic_load(&ptr);
    assert(p->value == p->key * 10);
    atomic_store_explicit(&reading, 0, memory_order_release);
    return NULL;
}

static void *updater(void *new)
{
    struct node *old = atomic_exchange(&ptr, new);

    while (atomic_load(&reading))
        sched_yield();
    old->value = -1;            /* poison */
    free(old);
    return NULL;
}

int main(void)
{
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    pthread_t r, u;

    if (!a || !b) {
        free(a);
        free(b);
        return 0;
    }
    *a = (struct node){ .key = 1, .value = 10 };
    *b = (struct node){ .key = 2, .value = 20 };
    ptr = a;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&u, NULL, updater, b);
    pthread_join(r, NULL);
    pthread_join(u, NULL);
    free(ptr);
    return 0;
}
