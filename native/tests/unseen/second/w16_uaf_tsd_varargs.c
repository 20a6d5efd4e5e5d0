/* A thread's own block is looked at after its destructor has freed it. */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

struct usage { long calls, bytes, errors; };

static pthread_key_t key;
static struct usage *published;

static long total(int n, ...)
{
    va_list ap;
    long sum = 0;

    va_start(ap, n);
    while (n-- > 0)
        sum += va_arg(ap, struct usage).calls;
    va_end(ap);
    return sum;
}

static void *worker(void *unused)
{
    struct usage *u = calloc(1, sizeof *u);

    if (u && pthread_setspecific(key, u) == 0) {
        u->calls = 3;
        published = u;
    } else {
        free(u);
    }
    return unused;
}

int main(void)
{
    pthread_t t;

    if (pthread_key_create(&key, free) != 0)
        return 0;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    if (published)
        assert(total(1, *published) >= 0);
    pthread_key_delete(key);
    return 0;
}
