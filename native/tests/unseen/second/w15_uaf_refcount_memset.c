/* The secret is wiped after the reference was dropped. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct session {
    atomic_int refs;
    char secret[16];
};

static bool drop(struct session *s)
{
    return atomic_fetch_sub(&s->refs, 1) == 1;
}

static void *logout(void *arg)
{
    struct session *s = arg;
    bool last = drop(s);

    memset(s->secret, 0, sizeof s->secret);     /* belongs before drop() */
    if (last)
        free(s);
    return NULL;
}

static void *idle(void *arg)
{
    if (drop(arg))
        free(arg);
    return NULL;
}

int main(void)
{
    struct session *s = malloc(sizeof *s);
    pthread_t a, b;

    if (!s)
        return 0;
    atomic_init(&s->refs, 2);
    strcpy(s->secret, "sesame");
    pthread_create(&a, NULL, logout, s);
    pthread_create(&b, NULL, idle, s);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
