/* Readers take a snapshot by struct assignment under the lock and look at it later. */
#include <assert.h>
#include <pthread.h>

struct stats { int n, sum, last; };

static struct {
    pthread_mutex_t lock;
    struct stats s;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void add(int v)
{
    pthread_mutex_lock(&shared.lock);
    shared.s = (struct stats){ .n = shared.s.n + 1, .sum = shared.s.sum + v, .last = v };
    pthread_mutex_unlock(&shared.lock);
}

static void *writer(void *unused)
{
    (void)unused;
    add(5);
    add(5);
    return NULL;
}

static void *reader(void *unused)
{
    struct stats copy;

    (void)unused;
    pthread_mutex_lock(&shared.lock);
    copy = shared.s;
    pthread_mutex_unlock(&shared.lock);
    assert(copy.sum == 5 * copy.n);
    assert(copy.n == 0 ? copy.last == 0 : copy.last == 5);
    return NULL;
}

int main(void)
{
    pthread_t w, r;

    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    assert(shared.s.n == 2);
    return 0;
}
