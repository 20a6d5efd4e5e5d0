/* SPDX-License-Identifier: MIT */
/*
 * Read-copy update, as liburcu's API promises it: include/urcu.h maps a program's calls here.
 *
 * Readers do nothing but count. A grace period waits for the end of every read-side section that
 * had begun before it; in exchange, all that a section did happens before the grace period's end,
 * and all that happened before its start happens before every section that begins later. Callbacks
 * of call_rcu run on a thread of their own, one grace period each, in order.
 *
 * What liburcu leaves undefined is a fault here: a reader that is not registered, an unlock without
 * a lock, a thread that ends registered, a grace period inside one's own section.
 *
 * Source: Desnoyers, McKenney, Stern, Dagenais and Walpole, IEEE TPDS 23(2), 2012, for the
 * guarantee.
 */
#include "explorer.h"

#define ENTRY(name) ex_do_##name
#define MAX_CALLBACKS 256

struct callback {
    void *head;
    void (*function)(void *head);
    struct clock called;
};

static struct clock started; /* what happened before the start of any grace period */
static struct callback callbacks[MAX_CALLBACKS];
static unsigned called, done;  /* of callbacks */
static struct clock performed; /* what happened in those done */
static bool has_server;

void ex_rcu_begin(void)
{
    started = performed = (struct clock){0};
    called = done = 0;
    has_server = false;
}

bool ex_rcu_idle(void)
{
    return done == called;
}

static void misuse(const char *what)
{
    ex_fail("rcu", "thread %d %s at {pc:%zx}", ex_self->number, what, ex_self->pc);
}

/* The depth is part of what a spinning thread is recognised by, as memory is. */
static void set_depth(unsigned depth)
{
    uint64_t key = (uint64_t)ex_self->number + 1; /* no address of the program's */

    ex_memory_hash ^= ex_mix(key, ex_self->reader.depth) ^ ex_mix(key, depth);
    ex_self->reader.depth = depth;
}

void ENTRY(locklab_rcu_register)(void)
{
    ex_settle();
    ex_self->pc = ex_door.pc;
    if (ex_self->reader.registered)
        misuse("registers a second time");
    ex_self->reader.registered = true;
}

void ENTRY(locklab_rcu_unregister)(void)
{
    ex_settle();
    ex_self->pc = ex_door.pc;
    if (!ex_self->reader.registered)
        misuse("unregisters without being registered");
    if (ex_self->reader.depth > 0)
        misuse("unregisters inside a read-side section");
    ex_self->reader.registered = false;
}

void ENTRY(locklab_rcu_read_lock)(bool needs_registration)
{
    ex_point();
    if (needs_registration && !ex_self->reader.registered)
        misuse("reads without being registered (rcu_register_thread): nobody waits for it");
    if (ex_self->reader.depth == 0)
        ex_clock_join(&ex_self->now, &started);
    set_depth(ex_self->reader.depth + 1);
    ex_step("rcu_read_lock", 0, 0, 0, 0);
}

void ENTRY(locklab_rcu_read_unlock)(void)
{
    ex_point();
    if (ex_self->reader.depth == 0)
        misuse("ends a read-side section without being in one");
    set_depth(ex_self->reader.depth - 1);
    if (ex_self->reader.depth == 0) {
        ex_self->reader.sections++;
        ex_self->reader.left = ex_self->now;
    }
    ex_step("rcu_read_unlock", 0, 0, 0, 0);
}

/* Have all sections ended that were open when `self` began to wait? A bit each in `open`. */
static bool readers_have_left(struct thread *self, address open)
{
    (void)self;
    for (int i = 0; i < MAX_THREADS; i++)
        if ((open >> i & 1) && ex_threads[i].reader.depth > 0 &&
            ex_threads[i].reader.sections == self->awaited[i])
            return false;
    return true;
}

static void grace_period(void)
{
    address open = 0;

    ex_drain(ex_self);
    ex_clock_join(&started, &ex_self->now);
    for (int i = 0; i < MAX_THREADS; i++)
        if (ex_threads[i].stage == STARTED && ex_threads[i].reader.depth > 0) {
            open |= (address)1 << i;
            ex_self->awaited[i] = ex_threads[i].reader.sections;
        }
    ex_step("grace period begins", 0, 0, 0, 0);
    ex_wait(readers_have_left, open, "read-side sections to end");
    for (int i = 0; i < MAX_THREADS; i++)
        if (ex_threads[i].stage != UNUSED)
            ex_clock_join(&ex_self->now, &ex_threads[i].reader.left);
    ex_step("grace period ends", 0, 0, 0, 0);
}

void ENTRY(locklab_rcu_synchronize)(void)
{
    ex_point();
    if (ex_self->reader.depth > 0)
        misuse("waits for a grace period inside its own read-side section, which never ends");
    grace_period();
}

/* Quiescent-state-based: a registered thread is in a section all the time, and says when it
 * holds nothing. */
void ENTRY(locklab_rcu_quiescent)(void)
{
    ENTRY(locklab_rcu_read_unlock)();
    ENTRY(locklab_rcu_read_lock)(false);
}

bool ENTRY(locklab_rcu_is_reading)(void)
{
    return ex_self->reader.depth > 0;
}

/* callbacks */

static bool has_work(struct thread *self, address unused)
{
    (void)self, (void)unused;
    return done < called;
}

static void *server(void *unused)
{
    for (;;) {
        struct callback *callback;

        ex_wait(has_work, 0, "callbacks");
        callback = &callbacks[done];
        ex_clock_join(&ex_self->now, &callback->called);
        grace_period();
        callback->function(callback->head);
        ex_settle();
        performed = ex_self->now;
        done++;
    }
    return unused;
}

void ENTRY(locklab_rcu_call)(void *head, void (*function)(void *head))
{
    ex_point();
    ex_confine_call((address)function);
    if (called == MAX_CALLBACKS)
        ex_give_up("a run has more than %d callbacks: make the test smaller", MAX_CALLBACKS);
    ex_drain(ex_self);
    callbacks[called++] = (struct callback){head, function, ex_self->now};
    ex_step("call_rcu", (address)head, 0, 0, 0);
    if (!has_server) {
        has_server = true;
        ex_spawn(ex_free_number(), server, NULL)->serves = true;
    }
}

static bool have_been_done(struct thread *self, address all)
{
    (void)self;
    return done >= all;
}

void ENTRY(locklab_rcu_barrier)(void)
{
    ex_wait(have_been_done, called, "callbacks");
    ex_clock_join(&ex_self->now, &performed);
    ex_step("rcu_barrier", 0, 0, 0, 0);
}
