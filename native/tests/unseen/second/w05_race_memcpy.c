/* The read lock is given back before the memcpy. */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct { size_t len; char text[12]; } motd = { 2, "hi" };

static void *set(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    motd.len = strlen(arg);
    memcpy(motd.text, arg, motd.len + 1);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *get(void *unused)
{
    char copy[12];

    pthread_rwlock_rdlock(&lock);
    size_t n = motd.len;
    pthread_rwlock_unlock(&lock);
    memcpy(copy, motd.text, n + 1);
    assert(n == 2 || n == 5);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, set, "hello");
    pthread_create(&b, NULL, get, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
