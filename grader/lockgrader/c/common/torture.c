/* SPDX-License-Identifier: MIT */
/*
 * A fixed number of concurrent operations on real threads, with liburcu itself and random delays.
 * The records are judged outside: whether some order of the operations explains all answers.
 */
#include <pthread.h>
#include <sched.h>

#define _LGPL_SOURCE
#include <urcu/urcu-memb.h>

#include "path.h"
#include "protocol.h"

enum { MAX_THREADS = 8 };

static pthread_barrier_t start;

/* There may be fewer CPUs than threads. */
void locklab_relax(void)
{
    worn_waits();
    sched_yield();
}

void __sanitizer_cov_trace_pc(void)
{
    path_note(__builtin_return_address(0));
}

static void *worker(void *number)
{
    unsigned me = (unsigned)(uintptr_t)number, version = 0;
    uint64_t random = order.seed * 1000 + me, delays = ~random;

    urcu_memb_register_thread();
    pthread_barrier_wait(&start);
    for (uint32_t i = 0; i < order.operations; i++) {
        uint64_t delay = drawn(&delays);

        perform(me, i, &random, &version);
        if (delay % 64 == 0)
            sched_yield();
        else if (delay % 8 == 0)
            for (volatile unsigned spin = 0; spin < delay % 512; spin++)
                continue;
    }
    urcu_memb_unregister_thread();
    return NULL;
}

int main(void)
{
    pthread_t threads[MAX_THREADS];

    read_order();
    if (order.threads > MAX_THREADS)
        _exit(2);
    pthread_barrier_init(&start, NULL, order.threads);
    urcu_memb_register_thread();
    client_begin();
    for (uintptr_t i = 0; i < order.threads; i++)
        if (pthread_create(&threads[i], NULL, worker, (void *)i) != 0)
            _exit(2);
    for (unsigned i = 0; i < order.threads; i++)
        pthread_join(threads[i], NULL);
    client_end();
    write_records();
    _exit(0);
}

/* The submission's calls of liburcu end up here (explorer/include/urcu/explored.h). */

void locklab_rcu_register(void);
void locklab_rcu_unregister(void);
void locklab_rcu_read_lock(bool needs_registration);
void locklab_rcu_read_unlock(void);
bool locklab_rcu_is_reading(void);
void locklab_rcu_quiescent(void);
void locklab_rcu_synchronize(void);
void locklab_rcu_call(void *head, void (*function)(void *head));
void locklab_rcu_barrier(void);

void locklab_rcu_register(void)
{
    urcu_memb_register_thread();
}

void locklab_rcu_unregister(void)
{
    urcu_memb_unregister_thread();
}

void locklab_rcu_read_lock(bool needs_registration)
{
    (void)needs_registration;
    urcu_memb_read_lock();
}

void locklab_rcu_read_unlock(void)
{
    urcu_memb_read_unlock();
}

bool locklab_rcu_is_reading(void)
{
    return urcu_memb_read_ongoing();
}

void locklab_rcu_quiescent(void) {}

void locklab_rcu_synchronize(void)
{
    urcu_memb_synchronize_rcu();
}

void locklab_rcu_call(void *head, void (*function)(void *head))
{
    urcu_memb_call_rcu(head, (void (*)(struct rcu_head *))function);
}

void locklab_rcu_barrier(void)
{
    urcu_memb_barrier();
}
