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
#define MAX_CALLBACKS 8192

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

static struct operation on_readers(enum effect effect)
{
    return (struct operation){.at = SUBJECT_READERS, .size = 1, .effect = effect};
}

static struct operation on_callbacks(void)
{
    return (struct operation){
        .at = SUBJECT_CALLBACKS, .size = 1, .effect = UPDATES, .drains = true};
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

static bool is_awaited(const struct thread *self, address open, int number)
{
    return (open >> number & 1) && ex_threads[number].reader.sections == self->awaited[number];
}

/* Have all sections ended that were open when `self` began to wait (a bit each in `open`), and has
 * arrived what was stored in them, and by others before? A grace period is a barrier on each
 * processor, at some time while it lasts. */
static bool readers_have_left(const struct thread *self, address open)
{
    for (int i = 0; i < ex_threads_used; i++)
        if (is_awaited(self, open, i) || ex_threads[i].flushed < self->begun[i])
            return false;
    return true;
}

/* The calling thread's section ends, which another may wait for. */
static void leaves(struct thread *waiting)
{
    int me = ex_self->number;

    if (waiting->stage != STARTED || waiting->next.ready != readers_have_left ||
        !is_awaited(waiting, waiting->next.subject, me))
        return;
    waiting->begun[me] = ex_self->stored;
    waiting->left_by[me] = ex_event_now();
    ex_clock_join(&waiting->now, &ex_self->now);
}

void ENTRY(locklab_rcu_read_lock)(bool needs_registration)
{
    ex_point(on_readers(LOOKS));
    if (needs_registration && !ex_self->reader.registered)
        misuse("reads without being registered (rcu_register_thread): no grace period waits for it");
    if (ex_self->reader.depth == 0)
        ex_clock_join(&ex_self->now, &started);
    ex_self->reader.depth++;
    ex_step("rcu_read_lock", 0, 0, 0, 0);
}

void ENTRY(locklab_rcu_read_unlock)(void)
{
    ex_point(on_readers(LOOKS));
    if (ex_self->reader.depth == 0)
        misuse("ends a read-side section without being in one");
    ex_self->reader.depth--;
    if (ex_self->reader.depth == 0) {
        for (int i = 0; i < ex_threads_used; i++)
            leaves(&ex_threads[i]);
        ex_self->reader.sections++;
        ex_self->reader.left = ex_self->now;
    }
    ex_step("rcu_read_unlock", 0, 0, 0, 0);
}

static void grace_period(void)
{
    struct operation begins = on_readers(UPDATES);
    address open = 0;

    begins.drains = true;
    ex_point(begins);
    if (ex_self->reader.depth > 0)
        misuse("waits for a grace period inside its own read-side section, which never ends");
    ex_spins_forget(ex_self);
    ex_clock_join(&started, &ex_self->now);
    for (int i = 0; i < ex_threads_used; i++) {
        ex_self->begun[i] = ex_threads[i].stored;
        ex_clock_join(&ex_self->now, &ex_threads[i].reader.left); /* of those that are over */
        if (ex_threads[i].stage == STARTED && ex_threads[i].reader.depth > 0) {
            open |= (address)1 << i;
            ex_self->awaited[i] = ex_threads[i].reader.sections;
        }
    }
    ex_step("grace period begins", 0, 0, 0, 0);
    ex_point((struct operation){.ready = readers_have_left,
                                .subject = open,
                                .waits_for = "read-side sections to end",
                                .drains = true});
    for (int i = 0; i < ex_threads_used; i++) {
        ex_event_after(ex_event_last(2 * i + 1));
        if (open >> i & 1)
            ex_event_after(ex_self->left_by[i]);
    }
    ex_step("grace period ends", 0, 0, 0, 0);
}

void ENTRY(locklab_rcu_synchronize)(void)
{
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

static bool has_work(const struct thread *self, address unused)
{
    (void)self, (void)unused;
    return done < called;
}

static void *server(void *unused)
{
    for (;;) {
        struct callback *callback;
        struct operation takes = on_callbacks();

        takes.ready = has_work;
        takes.waits_for = "callbacks";
        ex_point(takes);
        callback = &callbacks[done];
        ex_clock_join(&ex_self->now, &callback->called);
        grace_period();
        callback->function(callback->head);
        ex_point(on_callbacks());
        performed = ex_self->now;
        done++;
    }
    return unused;
}

void ex_rcu_serve(void)
{
    if (has_server || ex_rcu_idle())
        return;
    has_server = true;
    ex_spawn(ex_free_number(), server, NULL)->serves = true;
}

void ENTRY(locklab_rcu_call)(void *head, void (*function)(void *head))
{
    ex_point(on_callbacks());
    ex_spins_forget(ex_self);
    ex_confine_call((address)function);
    if (called == MAX_CALLBACKS)
        ex_give_up("a run has more than %d callbacks: make the test smaller", MAX_CALLBACKS);
    callbacks[called++] = (struct callback){head, function, ex_self->now};
    ex_step("call_rcu", (address)head, 0, 0, 0);
    ex_memory_hash = ex_mix(ex_memory_hash, called); /* no earlier state comes back */
    if (!ex_is_sole())
        ex_rcu_serve();
}

/* Who is sole does the callbacks itself when it waits for them: no reader is inside, and nobody else
 * could run meanwhile. */
static void perform_all(void)
{
    const struct door door = ex_door;

    ex_self->lent_size = 0; /* what a client has lent is not for callbacks */
    for (; done < called; done++)
        callbacks[done].function(callbacks[done].head);
    ex_settle();
    ex_door = door;
    called = done = 0;
}

static bool have_been_done(const struct thread *self, address all)
{
    (void)self;
    return done >= all;
}

void ENTRY(locklab_rcu_barrier)(void)
{
    struct operation waits = on_callbacks();
    address all;

    ex_point(waits);
    if (ex_is_sole() && ex_self->reader.depth == 0) {
        perform_all();
        return;
    }
    ex_rcu_serve();
    all = called;
    waits.ready = have_been_done;
    waits.subject = all;
    waits.waits_for = "callbacks";
    ex_point(waits);
    ex_clock_join(&ex_self->now, &performed);
    ex_step("rcu_barrier", 0, 0, 0, 0);
}
