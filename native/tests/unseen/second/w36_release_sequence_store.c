/* Another thread's store (no update), although a release, ends the producer's release sequence. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stage;
static int data;

static void *producer(void *unused)
{
    data = 42;
    atomic_store_explicit(&stage, 1, memory_order_release);
    return unused;
}

static void *marker(void *unused)
{
    if (atomic_load_explicit(&stage, memory_order_relaxed) == 1)
        atomic_store_explicit(&stage, 2, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t p, m;

    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&m, NULL, marker, NULL);
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2)
        assert(data == 42);
    pthread_join(p, NULL);
    pthread_join(m, NULL);
    return 0;
}
