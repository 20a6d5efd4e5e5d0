/* If the producer is late, the code of the reply was never set. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct reply { int code, value; };

static atomic_int ready;
static int answer;

static void *producer(void *unused)
{
    answer = 42;
    atomic_store(&ready, 1);
    return unused;
}

static void *consumer(void *unused)
{
    struct reply r;

    if (atomic_load(&ready)) {
        r.code = 1;
        r.value = answer;
    }
    if (r.code == 1)
        assert(r.value == 42);
    else
        assert(r.code == 0);
    return unused;
}

int main(void)
{
    pthread_t p, c;

    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
