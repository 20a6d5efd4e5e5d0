/* Two stores of 16 bits, looked at by one load of 32. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static union {
    _Atomic uint32_t word;
    _Atomic uint16_t half[2];
} u;

static void *writer(void *unused)
{
    atomic_store(&u.half[0], 1);
    atomic_store(&u.half[1], 1);
    return unused;
}

static void *reader(void *unused)
{
    uint32_t w = atomic_load(&u.word);

    assert(w == 0 || w == 0x10001);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
