/* Each thread sorts its own part, and puts it into the shared array under the lock. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int all[6];
static size_t used;

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static void *part(void *arg)
{
    int mine[3];

    memcpy(mine, arg, sizeof mine);
    qsort(mine, 3, sizeof mine[0], by_value);
    assert(mine[0] <= mine[1] && mine[1] <= mine[2]);
    pthread_mutex_lock(&m);
    memcpy(all + used, mine, sizeof mine);
    used += 3;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    static int input[2][3] = { { 5, 1, 3 }, { 6, 2, 4 } };
    pthread_t t[2];
    int key = 4;

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, part, input[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    qsort(all, used, sizeof all[0], by_value);
    for (int i = 0; i < 6; i++)
        assert(all[i] == i + 1);
    assert(bsearch(&key, all, used, sizeof all[0], by_value) == &all[3]);
    return 0;
}
