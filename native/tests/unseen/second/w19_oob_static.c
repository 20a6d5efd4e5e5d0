/* Four tickets for three places of a static array. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next;
static int place[3];

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++)
        place[atomic_fetch_add(&next, 1)] = *(const int *)arg;
    return NULL;
}

int main(void)
{
    static const int id[2] = { 1, 2 };
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)&id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
