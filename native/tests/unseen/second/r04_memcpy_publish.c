/* A message is filled with memcpy and published by a release store. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

struct msg { size_t len; char text[16]; };

static struct msg slot;
static atomic_bool full;

static void *sender(void *arg)
{
    struct msg m = { .len = strlen(arg) };

    memcpy(m.text, arg, m.len + 1);
    memcpy(&slot, &m, sizeof m);
    atomic_store_explicit(&full, true, memory_order_release);
    return NULL;
}

static void *receiver(void *unused)
{
    struct msg got;

    (void)unused;
    if (!atomic_load_explicit(&full, memory_order_acquire))
        return NULL;
    memcpy(&got, &slot, sizeof got);
    assert(got.len == 5 && memcmp(got.text, "hello", 6) == 0);
    memset(&slot, 0, sizeof slot);
    return NULL;
}

int main(void)
{
    pthread_t s, r;

    pthread_create(&s, NULL, sender, "hello");
    pthread_create(&r, NULL, receiver, NULL);
    pthread_join(s, NULL);
    pthread_join(r, NULL);
    assert(slot.len == 5 || slot.len == 0);
    return 0;
}
