/* Readers at the same time, a writer alone. */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct { int version; char name[8]; } conf = { 1, "a" };

static void *reader(void *unused)
{
    (void)unused;
    pthread_rwlock_rdlock(&lock);
    int v = conf.version;
    assert(conf.name[0] == (v == 1 ? 'a' : 'b'));
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *writer(void *unused)
{
    (void)unused;
    pthread_rwlock_wrlock(&lock);
    conf.version++;
    conf.name[0] = 'b';
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t r, w;

    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    reader(NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    assert(conf.version == 2);
    pthread_rwlock_destroy(&lock);
    return 0;
}
