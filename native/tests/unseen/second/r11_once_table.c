/* pthread_once makes a table that is then read without a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint8_t bits[16];
static int made;

static void make_table(void)
{
    for (unsigned i = 1; i < 16; i++)
        bits[i] = bits[i / 2] + (i & 1);
    made++;
}

static int popcount8(uint8_t v)
{
    pthread_once(&once, make_table);
    return bits[v & 15] + bits[v >> 4];
}

static void *worker(void *arg)
{
    assert(popcount8((uint8_t)(uintptr_t)arg) == 4);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, (void *)0x33);
    pthread_create(&b, NULL, worker, (void *)0xf0);
    assert(popcount8(0xff) == 8);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(made == 1);
    return 0;
}
