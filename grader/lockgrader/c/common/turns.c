/* SPDX-License-Identifier: MIT */
/*
 * Operations one at a time, by threads in turn: nothing depends on the clock or on the machine.
 *
 * So every answer is known in advance (history.py has the model), and a sanitizer reports the same
 * each time. Threads pass the turn through a relaxed word in this file, which no sanitizer sees. To
 * ThreadSanitizer the operations of two threads are unordered, so it reports a race for everything
 * that the cache itself does not order. rcu_turns.c provides the grace periods.
 */
#include <pthread.h>
#include <sched.h>

#include "protocol.h"
#include "rcu_turns.h"

enum { MAX_THREADS = 8 };

static _Atomic(uint32_t) turn;

void canary_errs(unsigned canary); /* canary.c */

static void *worker(void *number)
{
    unsigned me = (unsigned)(uintptr_t)number, version = 0;
    uint64_t random = order.seed * 1000 + me;

    locklab_rcu_register();
    for (uint32_t i = 0; i < order.operations; i++) {
        while (atomic_load_explicit(&turn, memory_order_relaxed) % order.threads != me)
            sched_yield();
        perform(me, i, &random, &version);
        if (i == order.operations / 2)
            canary_errs(order.canary);
        rcu_turns_end();
        atomic_store_explicit(&turn, i * order.threads + me + 1, memory_order_relaxed);
    }
    locklab_rcu_unregister();
    return NULL;
}

int main(void)
{
    pthread_t threads[MAX_THREADS], server;

    read_order();
    if (order.threads > MAX_THREADS)
        _exit(2);
    if (pthread_create(&server, NULL, rcu_turns_server, NULL) != 0)
        _exit(2);
    client_begin();
    for (uintptr_t i = 0; i < order.threads; i++)
        if (pthread_create(&threads[i], NULL, worker, (void *)i) != 0)
            _exit(2);
    for (unsigned i = 0; i < order.threads; i++)
        pthread_join(threads[i], NULL);
    locklab_rcu_register();
    client_end();
    rcu_turns_end();
    write_records();
    _exit(0);
}
