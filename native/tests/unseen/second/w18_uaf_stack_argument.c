/* The argument of the thread is a local variable of a function that has returned. */
#include <assert.h>
#include <pthread.h>

struct job { int number[1024]; };

static void *worker(void *arg)
{
    const struct job *j = arg;

    assert(j->number[0] == 7);
    return NULL;
}

static void start(pthread_t *t)
{
    struct job j;

    j.number[0] = 7;
    pthread_create(t, NULL, worker, &j);
}

int main(void)
{
    pthread_t t;

    start(&t);
    pthread_join(t, NULL);
    return 0;
}
