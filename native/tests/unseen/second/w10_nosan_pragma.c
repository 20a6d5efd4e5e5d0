/* The same by a pragma, between other functions. */
#include <pthread.h>

static int count;

_Pragma("GCC push_options")
_Pragma("GCC optimize (\"O3\")")
static void *worker(void *unused)
{
    count++;
    return unused;
}
_Pragma("GCC pop_options")

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
