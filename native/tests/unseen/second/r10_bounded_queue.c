/* A bounded queue with two condition variables. */
#include <assert.h>
#include <pthread.h>

enum { SIZE = 2, ITEMS = 3 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    unsigned head, tail;
    int slot[SIZE];
};

static struct queue q;

static void put(struct queue *q, int v)
{
    pthread_mutex_lock(&q->lock);
    while (q->tail - q->head == SIZE)
        pthread_cond_wait(&q->not_full, &q->lock);
    q->slot[q->tail++ % SIZE] = v;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

static int get(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->tail == q->head)
        pthread_cond_wait(&q->not_empty, &q->lock);
    int v = q->slot[q->head++ % SIZE];
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
    return v;
}

static void *producer(void *arg)
{
    for (int i = 1; i <= ITEMS; i++)
        put(arg, i);
    return NULL;
}

int main(void)
{
    pthread_t t;

    pthread_mutex_init(&q.lock, NULL);
    pthread_cond_init(&q.not_full, NULL);
    pthread_cond_init(&q.not_empty, NULL);
    pthread_create(&t, NULL, producer, &q);
    for (int i = 1; i <= ITEMS; i++)
        assert(get(&q) == i);
    pthread_join(t, NULL);
    pthread_cond_destroy(&q.not_empty);
    pthread_cond_destroy(&q.not_full);
    pthread_mutex_destroy(&q.lock);
    return 0;
}
