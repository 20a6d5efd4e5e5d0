/* The only unprotected access is the store of a struct that a function returns. */
#include <assert.h>
#include <pthread.h>

struct color { int r, g, b, alpha, gamma; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct color ink;

static struct color gray(int level)
{
    return (struct color){ level, level, level, 255, 1 };
}

static void *paint(void *unused)
{
    ink = gray(7);              /* no lock */
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&m);
    int r = ink.r;
    pthread_mutex_unlock(&m);
    assert(r == 0 || r == 7);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, paint, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
