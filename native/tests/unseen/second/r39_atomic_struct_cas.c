/* An atomic struct of eight bytes: both halves change together. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct range { int lo, hi; };

static _Atomic(struct range) range;

static void *widen(void *unused)
{
    struct range old = atomic_load(&range), new;

    do {
        new = old;
        new.lo--;
        new.hi++;
    } while (!atomic_compare_exchange_strong(&range, &old, new));
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, widen, NULL);
    pthread_create(&b, NULL, widen, NULL);
    struct range r = atomic_load_explicit(&range, memory_order_relaxed);
    assert(r.lo == -r.hi && r.hi >= 0 && r.hi <= 2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    r = atomic_load(&range);
    assert(r.lo == -2 && r.hi == 2);
    return 0;
}
