/* A constructor fills a table before main() begins. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m;
static int square[4];
static int sum;

__attribute__((constructor)) static void fill(void)
{
    pthread_mutex_init(&m, NULL);
    for (int i = 0; i < 4; i++)
        square[i] = i * i;
}

static void *worker(void *arg)
{
    const int *i = arg;

    pthread_mutex_lock(&m);
    sum += square[*i];
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    static const int which[2] = { 2, 3 };
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)&which[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(sum == 13);
    return 0;
}
