/* Two phases between barriers; one of the threads is the serial one each time. */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static int cell[2] = { 3, 5 };
static atomic_int serial;

static void *worker(void *arg)
{
    int me = *(const int *)arg;

    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&serial, 1);
    int other = cell[!me];
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&serial, 1);
    cell[me] += other;
    return NULL;
}

int main(void)
{
    static const int id[2] = { 0, 1 };
    pthread_t t[2];

    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)&id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&barrier);
    assert(cell[0] == 8 && cell[1] == 8 && serial == 2);
    return 0;
}
