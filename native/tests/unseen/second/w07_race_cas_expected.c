/* Two threads share the object that a compare-and-swap reads and, when it fails, writes. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state = 5;
static int seen;                /* should be a local variable */

static void *worker(void *unused)
{
    atomic_compare_exchange_strong(&state, &seen, 6);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(state == 5 || state == 6);
    return 0;
}
