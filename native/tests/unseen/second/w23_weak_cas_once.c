/* A weak compare-and-swap may fail although nobody is there: then nobody is the leader. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int leader;

static void *elect(void *arg)
{
    int nobody = 0;

    atomic_compare_exchange_weak(&leader, &nobody, *(const int *)arg);
    return NULL;
}

int main(void)
{
    static const int id[2] = { 1, 2 };
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, elect, (void *)&id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(leader == 1 || leader == 2);
    return 0;
}
