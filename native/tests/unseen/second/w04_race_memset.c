/* The buffer is cleared after the unlock. */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char buffer[8];
static size_t used;

static void *append(void *arg)
{
    pthread_mutex_lock(&m);
    buffer[used++] = *(const char *)arg;
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *flush(void *unused)
{
    pthread_mutex_lock(&m);
    used = 0;
    pthread_mutex_unlock(&m);
    memset(buffer, 0, sizeof buffer);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, append, "x");
    pthread_create(&b, NULL, flush, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
