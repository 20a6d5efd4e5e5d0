/* A ring for one producer and one consumer: an index is released by who owns it. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { SIZE = 2, ITEMS = 3 };

static int slot[SIZE];
static atomic_uint head, tail;

static void *producer(void *unused)
{
    for (unsigned t = 0; t < ITEMS; t++) {
        while (t - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
            sched_yield();
        slot[t % SIZE] = (int)t + 1;
        atomic_store_explicit(&tail, t + 1, memory_order_release);
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (unsigned h = 0; h < ITEMS; h++) {
        while (atomic_load_explicit(&tail, memory_order_acquire) == h)
            sched_yield();
        assert(slot[h % SIZE] == (int)h + 1);
        atomic_store_explicit(&head, h + 1, memory_order_release);
    }
    return unused;
}

int main(void)
{
    pthread_t p, c;

    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
