/* A saturating counter: a weak compare-and-swap in a loop may fail for no reason. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static _Atomic unsigned count;

static bool take(unsigned limit)
{
    unsigned old = atomic_load_explicit(&count, memory_order_relaxed);

    do {
        if (old >= limit)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&count, &old, old + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void *worker(void *arg)
{
    *(bool *)arg = take(2);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    bool got[3] = { false };

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &got[i]);
    got[2] = take(2);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(count == 2 && got[0] + got[1] + got[2] == 2);
    return 0;
}
