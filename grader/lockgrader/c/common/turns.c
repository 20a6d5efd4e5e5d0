/* SPDX-License-Identifier: MIT */
/*
 * Operations one at a time, by threads in turn: nothing depends on the clock or on the machine.
 *
 * So every answer is known in advance (history.py has the model), and a sanitizer reports the same
 * each time. Threads pass the turn through a relaxed word in this file, which no sanitizer sees. To
 * ThreadSanitizer the operations of two threads are unordered, so it reports a race for everything
 * that the cache itself does not order. rcu_turns.c provides the grace periods.
 *
 * Whoever waits for its turn sleeps. So when the one whose turn it is waits for ever, all sleep. If
 * it goes on for ever, it is known by the number of stretches of code: the compiler lets the
 * submission call a function at the begin of each.
 */
#include <pthread.h>
#include <stdio.h>

#include "path.h"
#include "protocol.h"
#include "rcu_turns.h"

enum { MAX_THREADS = 8, ENDLESS = 68 };
enum { MOST_STRETCHES = 300000000, WAITED = 10000 };

static _Atomic(uint32_t) turn;

void canary_errs(unsigned canary); /* canary.c */

static void count(unsigned more)
{
    static unsigned stretches; /* of the run: operations take turns */

    stretches += more;
    if (stretches > MOST_STRETCHES) {
        if (worn.is_alone)
            worn_is_wrong("the lock is still held");
        fprintf(stderr, "LockLab: an endless loop: %u stretches of code, and operation %u of %u is "
                        "not over\n",
                stretches, atomic_load_explicit(&turn, memory_order_relaxed) + 1,
                order.operations * order.threads);
        _exit(ENDLESS);
    }
}

void __sanitizer_cov_trace_pc(void)
{
    path_note(__builtin_return_address(0));
    count(1);
}

/* Nobody else goes on meanwhile. A use of worn.h has a bound of its own: each may pause a little. */
void locklab_relax(void)
{
    if (worn.is_alone)
        worn_waits();
    else
        count(WAITED);
}

static void *worker(void *number)
{
    unsigned me = (unsigned)(uintptr_t)number, version = 0;
    uint64_t random = order.seed * 1000 + me;

    locklab_rcu_register();
    for (uint32_t i = 0; i < order.operations; i++) {
        for (uint32_t now; (now = atomic_load_explicit(&turn, memory_order_relaxed)) %
                               order.threads !=
                           me;)
            sleep_while(&turn, now);
        perform(me, i, &random, &version);
        if (i == order.operations / 2)
            canary_errs(order.canary);
        rcu_turns_end();
        wake_with(&turn, i * order.threads + me + 1);
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
    locklab_rcu_register();
    client_begin();
    rcu_turns_end();
    for (uintptr_t i = 0; i < order.threads; i++)
        if (pthread_create(&threads[i], NULL, worker, (void *)i) != 0)
            _exit(2);
    for (unsigned i = 0; i < order.threads; i++)
        pthread_join(threads[i], NULL);
    client_end();
    rcu_turns_end();
    write_records();
    _exit(0);
}
