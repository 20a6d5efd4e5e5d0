/* Two transfers in opposite directions lock their accounts in opposite orders. */
#include <assert.h>
#include <pthread.h>

struct account { pthread_mutex_t lock; int money; };

static struct account x = { PTHREAD_MUTEX_INITIALIZER, 5 };
static struct account y = { PTHREAD_MUTEX_INITIALIZER, 5 };

static void transfer(struct account *from, struct account *to)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->money--;
    to->money++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *there(void *unused)
{
    transfer(&x, &y);
    return unused;
}

static void *back(void *unused)
{
    transfer(&y, &x);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, there, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(x.money == 5 && y.money == 5);
    return 0;
}
