/* A pointer is kept from one critical section to the next, and then passed by value. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct item { long key, price, tax; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct item *item;

static long total(struct item i)
{
    return i.price + i.tax;
}

static void *sell(void *unused)
{
    pthread_mutex_lock(&m);
    struct item *mine = item;
    pthread_mutex_unlock(&m);
    if (mine) {
        pthread_mutex_lock(&m);
        long t = total(*mine);
        pthread_mutex_unlock(&m);
        assert(t == 12);
    }
    return unused;
}

static void *withdraw(void *unused)
{
    pthread_mutex_lock(&m);
    free(item);
    item = NULL;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    item = malloc(sizeof *item);
    if (!item)
        return 0;
    *item = (struct item){ .key = 1, .price = 10, .tax = 2 };
    pthread_create(&a, NULL, sell, NULL);
    pthread_create(&b, NULL, withdraw, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
