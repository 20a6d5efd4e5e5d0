/* What is left to do at the end is done by functions of atexit(), the last one first. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *count;

static void destroy(void)
{
    free(count);
    count = NULL;
}

static void check(void)
{
    assert(*count == 2);
}

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    ++*count;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    count = calloc(1, sizeof *count);
    if (!count || atexit(destroy) != 0)
        return 0;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (atexit(check) == 0)
        exit(EXIT_SUCCESS);
    return 0;
}
