/* On a rare path the function returns with the lock held. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static struct {
    pthread_mutex_t lock;
    bool closing;
    int count;
} s = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int add(void)
{
    pthread_mutex_lock(&s.lock);
    if (s.closing)
        return -1;
    s.count++;
    pthread_mutex_unlock(&s.lock);
    return 0;
}

static void *worker(void *unused)
{
    add();
    return unused;
}

static void *closer(void *unused)
{
    pthread_mutex_lock(&s.lock);
    s.closing = true;
    pthread_mutex_unlock(&s.lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, closer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_lock(&s.lock);
    assert(s.closing && s.count <= 1);
    pthread_mutex_unlock(&s.lock);
    return 0;
}
