/* A sequence lock; the data are relaxed atomics, as C11 demands (Boehm, MSPC 2012). */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_uint seq;
static atomic_int lo, hi;

static void *writer(void *unused)
{
    (void)unused;
    atomic_store_explicit(&seq, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&lo, 7, memory_order_relaxed);
    atomic_store_explicit(&hi, 7, memory_order_relaxed);
    atomic_store_explicit(&seq, 2, memory_order_release);
    return NULL;
}

static void *reader(void *unused)
{
    unsigned before, after;
    int a, b;

    (void)unused;
    for (;;) {
        before = atomic_load_explicit(&seq, memory_order_acquire);
        if (before & 1) {
            sched_yield();
            continue;
        }
        a = atomic_load_explicit(&lo, memory_order_relaxed);
        b = atomic_load_explicit(&hi, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&seq, memory_order_relaxed);
        if (before == after)
            break;
    }
    assert(a == b);
    return NULL;
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
