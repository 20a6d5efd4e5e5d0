/* Each call of strtok() is in a critical section, but its hidden state is left between two of them. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static char *token(char *s)
{
    pthread_mutex_lock(&m);
    char *t = strtok(s, " ");
    pthread_mutex_unlock(&m);
    return t;
}

static void *worker(void *line)
{
    char *first = token(line);
    char *second = token(NULL);

    assert(first && second && second == first + 2);
    return NULL;
}

int main(void)
{
    static char line[2][8] = { "a b", "c d" };
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, line[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
