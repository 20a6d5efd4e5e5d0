/* The only unprotected access is the copy of an argument that is passed by value. */
#include <assert.h>
#include <pthread.h>

struct box { long x, y, w, h; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct box window = { .w = 3, .h = 4 };

static long area(struct box b)
{
    return b.w * b.h;
}

static void *grow(void *unused)
{
    pthread_mutex_lock(&m);
    window.w++;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *measure(void *unused)
{
    long a = area(window);      /* no lock */

    assert(a == 12 || a == 16);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, grow, NULL);
    pthread_create(&b, NULL, measure, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
