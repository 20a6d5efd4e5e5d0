/* A block made by one thread is freed by the other, once. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct job { int number; struct job *next; };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct job *first;
    bool closed;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER };

static void *maker(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct job *j = malloc(sizeof *j);
        pthread_mutex_lock(&queue.lock);
        if (j) {
            *j = (struct job){ .number = 7, .next = queue.first };
            queue.first = j;
        }
        queue.closed = i == 1;
        pthread_cond_signal(&queue.filled);
        pthread_mutex_unlock(&queue.lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct job *j;

    pthread_create(&t, NULL, maker, NULL);
    for (;;) {
        pthread_mutex_lock(&queue.lock);
        while (!queue.first && !queue.closed)
            pthread_cond_wait(&queue.filled, &queue.lock);
        j = queue.first;
        if (j)
            queue.first = j->next;
        pthread_mutex_unlock(&queue.lock);
        if (!j)
            break;
        assert(j->number == 7);
        free(j);
    }
    pthread_join(t, NULL);
    assert(!queue.first);
    return 0;
}
