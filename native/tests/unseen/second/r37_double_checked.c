/* Double-checked locking with an atomic pointer. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct table { int size; int entry[3]; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct table *_Atomic table;

static const struct table *get_table(void)
{
    struct table *t = atomic_load_explicit(&table, memory_order_acquire);

    if (t)
        return t;
    pthread_mutex_lock(&m);
    t = atomic_load_explicit(&table, memory_order_relaxed);
    if (!t && (t = malloc(sizeof *t))) {
        t->size = 3;
        for (int i = 0; i < 3; i++)
            t->entry[i] = i + 1;
        atomic_store_explicit(&table, t, memory_order_release);
    }
    pthread_mutex_unlock(&m);
    return t;
}

static void *worker(void *unused)
{
    const struct table *t = get_table();

    if (t)
        assert(t->entry[t->size - 1] == 3);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(table);
    return 0;
}
