/* qsort() on a shared array, whose elements another thread writes under the lock. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int score[3] = { 3, 1, 2 };

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static void *update(void *unused)
{
    pthread_mutex_lock(&m);
    score[1] = 5;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *rank(void *unused)
{
    qsort(score, 3, sizeof score[0], by_value); /* no lock */
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, update, NULL);
    pthread_create(&b, NULL, rank, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
