/* The same on a prototype, with the words cut by backslashes and by a string of two parts. */
#include <pthread.h>

static int count;

static void *worker(void *unused)
    __attri\
bute__((nonnull, no_sani\
tize("thr" "ead")));

static void *worker(void *arg)
{
    count += *(const int *)arg;
    return arg;
}

int main(void)
{
    static int one = 1;
    pthread_t a, b;

    pthread_create(&a, NULL, worker, &one);
    pthread_create(&b, NULL, worker, &one);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
