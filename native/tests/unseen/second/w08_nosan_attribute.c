/* A racy function that asks not to be looked at. */
#include <pthread.h>

static int count;

__attribute__((no_sanitize("thread"))) static void *worker(void *unused)
{
    count++;
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
