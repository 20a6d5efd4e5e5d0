/* Peterson's lock, every access SEQ_CST. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int count;

static void lock(int me)
{
    atomic_store(&wants[me], 1);
    atomic_store(&turn, !me);
    while (atomic_load(&wants[!me]) && atomic_load(&turn) == !me)
        sched_yield();
}

static void unlock(int me)
{
    atomic_store(&wants[me], 0);
}

static void *worker(void *arg)
{
    int me = *(const int *)arg;

    lock(me);
    count++;
    unlock(me);
    return NULL;
}

int main(void)
{
    static const int id[2] = { 0, 1 };
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)&id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(count == 2);
    return 0;
}
