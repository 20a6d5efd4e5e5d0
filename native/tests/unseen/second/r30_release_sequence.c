/* 1 heads the release sequence; the same thread's 2 and another's addition go on with it (C11). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stage;
static int data;

static void *producer(void *unused)
{
    data = 42;
    atomic_store_explicit(&stage, 1, memory_order_release);
    atomic_store_explicit(&stage, 2, memory_order_relaxed);
    return unused;
}

static void *marker(void *unused)
{
    atomic_fetch_add_explicit(&stage, 10, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t p, m;

    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&m, NULL, marker, NULL);
    int s = atomic_load_explicit(&stage, memory_order_acquire);
    if (s != 0 && s != 10)
        assert(data == 42);
    pthread_join(p, NULL);
    pthread_join(m, NULL);
    return 0;
}
