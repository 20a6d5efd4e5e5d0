/* Statics in sections of their own, as a kernel has them, and a static local. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define __read_mostly __attribute__((__section__(".data.read_mostly")))
#define __hot __attribute__((section("hot_data"), aligned(64)))

static int __read_mostly step = 2;
static int total __hot = 100;
static atomic_uint tickets __hot;
static pthread_mutex_t m __hot = PTHREAD_MUTEX_INITIALIZER;

static void add(void)
{
    static int calls = 1;

    pthread_mutex_lock(&m);
    total += step;
    calls *= 2;
    assert(calls <= 4);
    pthread_mutex_unlock(&m);
}

static void *worker(void *unused)
{
    (void)unused;
    atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed);
    add();
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(total == 104 && tickets == 2);
    total = 0;
    step = 9;
    return 0;
}
