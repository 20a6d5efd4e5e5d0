/* SPDX-License-Identifier: MIT */
/*
 * liburcu's functions (explorer/include/urcu/explored.h maps them here) where operations take
 * turns: no other thread is in a section, so a grace period is over at once. Callbacks run when the
 * operation ends, on a thread of their own as in liburcu; only that thread is ordered after the
 * grace period. Undefined use of liburcu ends the program with a message.
 *
 * ThreadSanitizer learns only what a grace period guarantees: a section happens before the end of a
 * grace period, and everything before its begin happens before later sections.
 */
#include "rcu_turns.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

void __tsan_acquire(void *at) __attribute__((weak));
void __tsan_release(void *at) __attribute__((weak));

enum { MAX_CALLBACKS = 65536, MISUSED = 67 };

struct callback {
    void *head;
    void (*function)(void *head);
};

static _Thread_local bool registered;
static _Thread_local unsigned depth;
static struct callback callbacks[MAX_CALLBACKS];
static unsigned called;
static _Atomic(uint32_t) work;                   /* 1: the server may run */
static char sections, grace, queued, performed; /* addresses for ordering */

/* No sanitizer knows a futex, so none takes these for an order of the submission's own. */
void sleep_while(_Atomic(uint32_t) *word, uint32_t is)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, is, NULL, NULL, 0);
}

void wake_with(_Atomic(uint32_t) *word, uint32_t becomes)
{
    atomic_store_explicit(word, becomes, memory_order_relaxed);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void release(char *place)
{
    if (__tsan_release != NULL)
        __tsan_release(place);
}

static void acquire(char *place)
{
    if (__tsan_acquire != NULL)
        __tsan_acquire(place);
}

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "LockLab: rcu: a thread %s\n", what);
        _exit(MISUSED);
    }
}

void locklab_rcu_register(void)
{
    require(!registered, "registers a second time");
    registered = true;
}

void locklab_rcu_unregister(void)
{
    require(registered && depth == 0, "unregisters inside a read-side section");
    registered = false;
}

void locklab_rcu_read_lock(bool needs_registration)
{
    require(registered || !needs_registration, "reads without being registered");
    if (depth++ == 0)
        acquire(&grace);
}

void locklab_rcu_read_unlock(void)
{
    require(depth > 0, "ends a read-side section without being in one");
    if (--depth == 0)
        release(&sections);
}

bool locklab_rcu_is_reading(void)
{
    return depth > 0;
}

void locklab_rcu_quiescent(void)
{
    require(depth == 0, "reports a quiescent state inside a read-side section");
}

void locklab_rcu_synchronize(void)
{
    require(depth == 0, "waits for a grace period inside its own read-side section");
    release(&grace);
    acquire(&sections);
}

void locklab_rcu_call(void *head, void (*function)(void *head))
{
    require(called < MAX_CALLBACKS, "leaves too many callbacks");
    release(&grace);
    release(&queued);
    callbacks[called++] = (struct callback){head, function};
}

static void serve(void)
{
    if (called == 0)
        return;
    wake_with(&work, 1);
    while (atomic_load_explicit(&work, memory_order_relaxed) == 1)
        sleep_while(&work, 1);
}

void locklab_rcu_barrier(void)
{
    require(depth == 0, "waits for callbacks inside a read-side section");
    serve();
    acquire(&performed);
}

void rcu_turns_end(void)
{
    require(depth == 0, "returns from an operation inside a read-side section");
    serve();
}

void *rcu_turns_server(void *unused)
{
    for (;;) {
        while (atomic_load_explicit(&work, memory_order_relaxed) == 0)
            sleep_while(&work, 0);
        acquire(&queued);
        acquire(&sections);
        for (unsigned done = 0; done < called; done++)
            callbacks[done].function(callbacks[done].head);
        called = 0;
        release(&performed);
        wake_with(&work, 0);
    }
    return unused;
}
