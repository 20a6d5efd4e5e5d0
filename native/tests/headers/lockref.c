/* SPDX-License-Identifier: MIT */
/* What a lockref does at 0, at the last reference, when dead, and beside a holder. */
#include <pthread.h>
#include <stdio.h>

#include "locklab/lockref.h"

static int wrong;

#define EXPECT(holds)                                                                              \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #holds);                             \
            wrong = 1;                                                                             \
        }                                                                                          \
    } while (0)

static bool locked(struct locklab_lockref *ref)
{
    return atomic_load(&ref->word) & LOCKLAB_LOCKREF_LOCKED;
}

static void get_not_zero(void)
{
    struct locklab_lockref ref;

    locklab_lockref_init(&ref);
    EXPECT(locklab_lockref_get_not_zero(&ref));
    EXPECT(locklab_lockref_references(&ref) == 2);
    EXPECT(locklab_lockref_put(&ref) == 1);
    EXPECT(locklab_lockref_put(&ref) == 0);
    EXPECT(!locklab_lockref_get_not_zero(&ref));
    EXPECT(locklab_lockref_references(&ref) == 0);
    EXPECT(!locked(&ref));
}

static void put_or_lock(void)
{
    struct locklab_lockref ref;

    locklab_lockref_init(&ref);
    locklab_lockref_get(&ref);
    EXPECT(locklab_lockref_put_or_lock(&ref));
    EXPECT(!locked(&ref));
    EXPECT(locklab_lockref_references(&ref) == 1);
    EXPECT(!locklab_lockref_put_or_lock(&ref));
    EXPECT(locked(&ref));
    EXPECT(locklab_lockref_references(&ref) == 1);
    locklab_lockref_release(&ref);
}

static void mark_dead(void)
{
    struct locklab_lockref ref;

    locklab_lockref_init(&ref);
    EXPECT(!locklab_lockref_put_or_lock(&ref));
    locklab_lockref_mark_dead(&ref);
    EXPECT(locked(&ref));
    locklab_lockref_release(&ref);
    EXPECT(!locked(&ref));
    EXPECT((int32_t)locklab_lockref_references(&ref) == LOCKLAB_LOCKREF_DEAD);
    EXPECT(!locklab_lockref_get_not_zero(&ref));
    EXPECT((int32_t)locklab_lockref_references(&ref) == LOCKLAB_LOCKREF_DEAD);
}

#define THREADS 4
#define ROUNDS 20000

static struct locklab_lockref shared;
static _Atomic(unsigned) inside, kept;

/* Every path of the three operations beside the others': the slow ones, too. */
static void *use(void *arg)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (!locklab_lockref_get_not_zero(&shared))
            continue;
        if (i % 16 == 0) {
            locklab_lockref_acquire(&shared);
            inside += atomic_load(&shared.word) >> 32 < 2;
            locklab_lockref_release(&shared);
        }
        if (!locklab_lockref_put_or_lock(&shared)) {
            kept++; /* the maker's reference is left: never the last one */
            locklab_lockref_release(&shared);
        }
    }
    return arg;
}

static void beside_others(void)
{
    pthread_t threads[THREADS];

    locklab_lockref_init(&shared);
    for (int i = 0; i < THREADS; i++)
        EXPECT(pthread_create(&threads[i], NULL, use, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    EXPECT(inside == 0);
    EXPECT(kept == 0);
    EXPECT(locklab_lockref_references(&shared) == 1);
    EXPECT(!locked(&shared));
}

int main(void)
{
    get_not_zero();
    put_or_lock();
    mark_dead();
    beside_others();
    return wrong;
}
