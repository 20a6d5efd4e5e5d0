/* A sorted list with a lock in each node. A key never changes, a link only under its node's lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct node {
    pthread_mutex_t lock;
    int key;
    struct node *next;
};

#define NODE(k, n) { .lock = PTHREAD_MUTEX_INITIALIZER, .key = (k), .next = (n) }

static struct node middle = NODE(20, NULL);
static struct node head = NODE(0, &middle);
static struct node extra[2] = { NODE(10, NULL), NODE(30, NULL) };

static void *insert(void *arg)
{
    struct node *new = arg, *prev = &head, *next;

    pthread_mutex_lock(&prev->lock);
    while ((next = prev->next) && next->key < new->key) {
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&prev->lock);
        prev = next;
    }
    new->next = next;
    prev->next = new;
    pthread_mutex_unlock(&prev->lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int n = 0;

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, insert, &extra[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (struct node *p = &head; p->next; p = p->next, n++)
        assert(p->key < p->next->key);
    assert(n == 3);
    return 0;
}
