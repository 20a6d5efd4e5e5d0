/* Announce, full fence, look: at least one of two sees the other. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static int saw[2];

static void *worker(void *arg)
{
    int me = *(const int *)arg;

    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    saw[me] = atomic_load_explicit(&flag[!me], memory_order_relaxed);
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
    assert(saw[0] || saw[1]);
    return 0;
}
