/* Each thread parses its own copy of a line with the functions that keep no state. */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static atomic_int failed;

static void *parse(void *arg)
{
    char *save = NULL, *end;
    char *line = strdup(arg);
    long mine = 0;

    if (!line) {
        atomic_fetch_add(&failed, 1);
        return NULL;
    }
    for (char *w = strtok_r(line, ", ", &save); w; w = strtok_r(NULL, ", ", &save)) {
        long n = strtol(w, &end, 10);
        if (end != w && *end == '\0')
            mine += n;
    }
    free(line);
    pthread_mutex_lock(&m);
    sum += mine;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, parse, "1, 2,x");
    pthread_create(&b, NULL, parse, "30,4z, 40");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(failed || sum == 73);
    return 0;
}
