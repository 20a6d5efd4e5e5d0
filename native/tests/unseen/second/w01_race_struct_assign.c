/* The reader copies the struct without the lock. */
#include <assert.h>
#include <pthread.h>

struct conf { int width, height, depth; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct conf conf = { 1, 1, 1 };

static void *resize(void *unused)
{
    pthread_mutex_lock(&m);
    conf = (struct conf){ .width = 2, .height = 2, .depth = 2 };
    pthread_mutex_unlock(&m);
    return unused;
}

static void *draw(void *unused)
{
    struct conf mine;

    mine = conf;                /* no lock */
    pthread_mutex_lock(&m);
    assert(mine.width > 0 && conf.width >= mine.width);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, resize, NULL);
    pthread_create(&b, NULL, draw, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
