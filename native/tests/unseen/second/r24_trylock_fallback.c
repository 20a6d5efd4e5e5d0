/* Who does not get the lock at once counts elsewhere. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int fast;
static atomic_int slow;

static void *worker(void *unused)
{
    int e = pthread_mutex_trylock(&m);

    (void)unused;
    switch (e) {
    case 0:
        fast++;
        pthread_mutex_unlock(&m);
        break;
    case EBUSY:
        atomic_fetch_add_explicit(&slow, 1, memory_order_relaxed);
        break;
    default:
        assert(!"trylock");
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    worker(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(fast + slow == 3 && fast >= 1);
    return 0;
}
