/* The same, its name put together by the preprocessor. */
#include <pthread.h>

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define WHAT sanitize
#define QUIET __attribute((__unused__, JOIN(__no_, WHAT, _thread__)))

static int count;

static inline QUIET void bump(int *n)
{
    ++*n;
}

static void *worker(void *unused)
{
    bump(&count);
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
