/* A struct of 32 bytes is passed by value, always with the lock held. */
#include <assert.h>
#include <pthread.h>

struct box { long x, y, w, h; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct box screen = { .w = 2, .h = 3 };
static long largest;

static long area(struct box b)
{
    b.w += b.x;                 /* its own copy */
    return b.w * b.h;
}

static void *grow(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&m);
    screen.w++;
    long a = area(screen);
    if (a > largest)
        largest = a;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, grow, NULL);
    pthread_create(&b, NULL, grow, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(area(screen) == 12 && largest == 12);
    return 0;
}
