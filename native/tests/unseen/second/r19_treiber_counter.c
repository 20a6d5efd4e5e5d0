/* A stack of indices; the counter beside the head prevents ABA. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define INDEX(h) ((h) & 255u)
#define NEXT_TAG(h) (((h) & ~255u) + 256u)

static _Atomic uint32_t head = 1;
static _Atomic uint32_t next[4] = { 0, 2, 3, 0 };
static uint32_t got[2];

static uint32_t pop(void)
{
    uint32_t h = atomic_load(&head), n;

    do {
        if (INDEX(h) == 0)
            return 0;
        n = NEXT_TAG(h) | atomic_load(&next[INDEX(h)]);
    } while (!atomic_compare_exchange_strong(&head, &h, n));
    return INDEX(h);
}

static void push(uint32_t i)
{
    uint32_t h = atomic_load(&head);

    do
        atomic_store(&next[i], INDEX(h));
    while (!atomic_compare_exchange_strong(&head, &h, NEXT_TAG(h) | i));
}

static void *one(void *unused)
{
    got[0] = pop();
    return unused;
}

static void *two(void *unused)
{
    uint32_t a = pop();

    got[1] = pop();
    push(a);
    return unused;
}

int main(void)
{
    int seen[4] = { 0 };
    pthread_t a, b;

    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    seen[got[0]]++;
    seen[got[1]]++;
    for (uint32_t i = INDEX(head), n = 0; i && n < 4; i = next[i], n++)
        seen[i]++;
    assert(seen[0] == 0 && seen[1] == 1 && seen[2] == 1 && seen[3] == 1);
    return 0;
}
