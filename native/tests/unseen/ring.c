/* One producer, one consumer, a ring of two places of plain data. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define PLACES 2
#define ITEMS 3

static int ring[PLACES];
static _Atomic unsigned head, tail;

static void *producer(void *unused)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&head, memory_order_acquire) == PLACES)
            ;
        ring[i % PLACES] = 10 + i;
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&tail, memory_order_acquire) == i)
            ;
        assert(ring[i % PLACES] == 10 + (int)i);
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
