/* The sequence lock of r17 without the fence before the second look. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint seq;
static atomic_int lo, hi;

static void *writer(void *unused)
{
    atomic_store_explicit(&seq, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&lo, 7, memory_order_relaxed);
    atomic_store_explicit(&hi, 7, memory_order_relaxed);
    atomic_store_explicit(&seq, 2, memory_order_release);
    return unused;
}

static void *reader(void *unused)
{
    unsigned before = atomic_load_explicit(&seq, memory_order_acquire);
    int a = atomic_load_explicit(&lo, memory_order_relaxed);
    int b = atomic_load_explicit(&hi, memory_order_relaxed);
    unsigned after = atomic_load_explicit(&seq, memory_order_relaxed);

    if (before == after && before % 2 == 0)
        assert(a == b);
    return unused;
}

int main(void)
{
    pthread_t w, r;

    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return 0;
}
