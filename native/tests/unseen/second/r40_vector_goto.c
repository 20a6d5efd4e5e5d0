/* A vector that grows under its lock; every path goes through one unlock. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct vec { size_t n, cap; int v[]; };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct vec *vec;

static int push(int x)
{
    int err = 0;

    pthread_mutex_lock(&m);
    if (!vec || vec->n == vec->cap) {
        size_t cap = vec ? 2 * vec->cap : 1;
        struct vec *p = realloc(vec, sizeof *p + cap * sizeof p->v[0]);
        if (!p) {
            err = -ENOMEM;
            goto out;
        }
        if (!vec)
            p->n = 0;
        p->cap = cap;
        vec = p;
    }
    vec->v[vec->n++] = x;
out:
    pthread_mutex_unlock(&m);
    return err;
}

static void *worker(void *arg)
{
    int *x = arg;

    if (push(*x) != 0)
        *x = 0;
    return NULL;
}

int main(void)
{
    int x[3] = { 1, 2, 4 }, sum = 0;
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &x[i]);
    worker(&x[2]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (size_t i = 0; vec && i < vec->n; i++)
        sum += vec->v[i];
    assert(sum == x[0] + x[1] + x[2]);
    free(vec);
    return 0;
}
