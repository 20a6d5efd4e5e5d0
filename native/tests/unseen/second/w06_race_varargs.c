/* A struct that another thread changes is passed through "..." without the lock. */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>

struct point { long x, y, z; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct point where = { 1, 1, 1 };

static long sum(int n, ...)
{
    va_list ap;
    long s = 0;

    va_start(ap, n);
    while (n-- > 0) {
        struct point p = va_arg(ap, struct point);
        s += p.x + p.y + p.z;
    }
    va_end(ap);
    return s;
}

static void *step(void *unused)
{
    pthread_mutex_lock(&m);
    where.y = 5;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *report(void *unused)
{
    const struct point origin = { 0 };
    long s = sum(2, origin, where);     /* no lock */

    assert(s == 3 || s == 7);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, step, NULL);
    pthread_create(&b, NULL, report, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
