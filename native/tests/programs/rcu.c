/* SPDX-License-Identifier: MIT */
/* A pointer under RCU: one thread replaces what it points to and frees the old, one reads it. With
 * BUG defined to a number one thing is wrong. */
#include <pthread.h>
#include <stdlib.h>
#ifdef QSBR
#include <urcu-qsbr.h>
#else
#include <urcu.h>
#endif
#ifdef DEFER
#include <urcu-defer.h>
#endif

struct box {
    int value;
    struct rcu_head head;
};

static struct box *shared;

static struct box *box(int value)
{
    struct box *made = malloc(sizeof(*made));

    made->value = value;
    return made;
}

static void reclaim(struct rcu_head *head)
{
    free(caa_container_of(head, struct box, head));
}

static void *reader(void *unused)
{
    struct box *seen;
    int value;

#if BUG != 1
    rcu_register_thread();
#endif
    rcu_read_lock();
    seen = rcu_dereference(shared);
#if BUG == 2
    rcu_read_unlock();
    value = seen->value;
#else
    value = seen->value;
    rcu_read_unlock();
#endif
    if (value != 1 && value != 2)
        abort();
#ifdef QSBR
    rcu_quiescent_state();
#endif
#if BUG != 1
    rcu_unregister_thread();
#endif
    return unused;
}

static void *updater(void *unused)
{
    struct box *old = shared;

#if BUG == 3
    shared = box(2);
#elif BUG == 7
    __atomic_store_n(&shared, box(2), __ATOMIC_RELAXED);
#else
    rcu_assign_pointer(shared, box(2));
#endif
#if defined(DEFER)
    (void)rcu_defer_register_thread();
    defer_rcu(free, old);
    rcu_defer_unregister_thread();
#elif defined(CALL)
    call_rcu(&old->head, reclaim);
    rcu_barrier();
#elif BUG == 4
    free(old);
#elif BUG == 5
    (void)old;
#else
    synchronize_rcu();
    free(old);
#endif
    (void)reclaim;
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    shared = box(1);
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, updater, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(shared);
    return 0;
}
