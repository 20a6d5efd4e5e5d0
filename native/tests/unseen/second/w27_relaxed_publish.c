/* The pointer is published by a relaxed store. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { int key, value; };

static struct node *_Atomic list;

static void *insert(void *unused)
{
    struct node *n = malloc(sizeof *n);

    if (n) {
        *n = (struct node){ .key = 1, .value = 2 };
        atomic_store_explicit(&list, n, memory_order_relaxed);
    }
    return unused;
}

static void *find(void *unused)
{
    const struct node *n = atomic_load_explicit(&list, memory_order_acquire);

    if (n)
        assert(n->value == 2);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, insert, NULL);
    pthread_create(&b, NULL, find, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(list);
    return 0;
}
