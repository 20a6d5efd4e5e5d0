/* Accounts kept in structs that functions take and return by value. */
#include <assert.h>
#include <pthread.h>

struct pair { int from, to; };                  /* in registers */
struct big { int v[6]; };                       /* through a hidden pointer */

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct pair accounts = { .from = 10, .to = 0 };
static struct big history;

static struct pair move(struct pair p, int n)
{
    p.from -= n;
    p.to += n;
    return p;
}

static struct big append(struct big b, int n)
{
    b.v[b.v[0] + 1] = n;
    b.v[0]++;
    return b;
}

static void *worker(void *arg)
{
    int n = *(const int *)arg;

    pthread_mutex_lock(&m);
    accounts = move(accounts, n);
    history = append(history, n);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    static const int amount[2] = { 1, 2 };
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)&amount[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(accounts.from == 7 && accounts.to == 3);
    assert(history.v[0] == 2 && history.v[1] + history.v[2] == 3);
    return 0;
}
