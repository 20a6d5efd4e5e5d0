/* SPDX-License-Identifier: MIT */
/*
 * Fibers, and who of them may run.
 *
 * A thread may run unless it has ended, waits for a condition that does not hold, or has gone round
 * a loop that changes nothing (spins.c). In the complete search such a thread stays where it is
 * for the rest of the run: what it would do later it does in another run, where it has not gone
 * round. In the other searches it goes on as soon as what the loop reads has changed.
 *
 * When no thread may run and the loops would do the same again, no way leads on: a deadlock. Where
 * what one loop changes for a while is what another one looks at, threads could leave if they met
 * at the right moment, and need not. And a run may come back to a state in which it has been, when
 * all threads that can go on have gone on in between, and all stores that can leave a buffer have
 * left one: a livelock, unless it is meant to have no end.
 * In both cases the search is unfinished, unless it finds an error.
 *
 * Fairness. A thread that goes on for a thousand steps while others could run makes room for them;
 * not to make room is then the deviation. A loop that waits, but always changes something, would
 * else never end.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "explorer.h"

#define STACKS ((address)0x1100000000)
#define PATIENCE 1000 /* steps */
#define LEAST_PATIENCE 4 /* of short runs */
#define STRAIGHT 16 /* steps: more than most errands (locklab_as) have */
#define WATCHED 100 /* steps after these: more than twice what a waiting loop has */
#define PLAIN_PATIENCE 200 /* plain accesses without a point between them */
#define STATES (1u << 17)

extern void ex_switch(void **save_sp, void *next_sp);

struct thread ex_threads[MAX_THREADS];
struct thread *ex_self;
int ex_threads_used;
struct door ex_door;

static void *outside;                /* the stack of main() while a run is on */
static address deepest[MAX_THREADS]; /* stack pointer of any run */
static void (*errand)(int me);        /* locklab_as() */

address ex_stack_end(const struct thread *thread)
{
    return STACKS + ((address)thread->number + 1) * STACK_SIZE;
}

/* Its thread-local variables lie above the stack. */
address ex_stack_top(const struct thread *thread)
{
    return ex_stack_end(thread) - ex_locals_size();
}

/* fibers */

static void fiber(void)
{
    ex_end_thread(ex_self->start(ex_self->argument));
}

void ex_stacks_make(void)
{
    void *got = mmap((void *)STACKS, MAX_THREADS * STACK_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);

    if (got != (void *)STACKS)
        ex_give_up("no memory for the threads' stacks");
    for (size_t i = 0; i < MAX_THREADS; i++) /* the lowest page of each is a guard */
        mprotect((void *)(STACKS + i * STACK_SIZE), 4096, PROT_NONE);
}

/* What an earlier run left on the stack must not make this one look different. */
static void clean_stack(const struct thread *thread)
{
    address top = ex_stack_top(thread), *low = &deepest[thread->number];

    if (*low == 0)
        *low = top - 8192;
    memset((void *)*low, 0, top - *low);
}

/* The thread begins with this function, at the top of its stack. */
static void begin_with(struct thread *thread, void (*function)(void))
{
    void **sp = (void **)ex_stack_top(thread);

#if defined(__x86_64__)
    *--sp = NULL; /* as if it had been called: sp is 8 beyond a multiple of 16 */
    *--sp = (void *)function;
    sp -= 6; /* what ex_switch() pops */
    memset(sp, 0, 6 * sizeof(*sp));
#else
    sp -= 20;
    memset(sp, 0, 20 * sizeof(*sp));
    sp[11] = (void *)function; /* x30 */
#endif
    thread->sp = sp;
}

static void prepare(struct thread *thread)
{
    clean_stack(thread);
    ex_locals_make(ex_stack_top(thread));
    begin_with(thread, fiber);
}

struct thread *ex_spawn(int number, void *(*start)(void *), void *argument)
{
    struct thread *thread = &ex_threads[number];
    bool was_sole = ex_is_sole() && ex_self != NULL;

    memset(thread, 0, offsetof(struct thread, frames));
    thread->number = number;
    thread->stage = STARTED;
    thread->start = start;
    thread->argument = argument;
    thread->made_by = ex_event_now();
    thread->woken_by = -1;
    thread->state = ex_mix((uint64_t)number, 3);
    if (ex_self != NULL) {
        if (errand != NULL)
            ex_give_up("a function that locklab_as() calls makes a thread");
        thread->now = ex_self->now;
        if (was_sole)
            ex_spins_forget(ex_self); /* not each of its steps is noted */
        ex_sole_end();
    }
    if (number >= ex_threads_used)
        ex_threads_used = number + 1;
    if (ex_options.pct_depth > 0)
        ex_priority_new(thread);
    ex_spins_begin(thread);
    prepare(thread);
    if (was_sole)
        ex_rcu_serve();
    return thread;
}

void ex_start_again(struct thread *thread, void *(*start)(void *))
{
    thread->start = start;
    thread->next = (struct operation){.effect = NOTHING};
    thread->depth = 0;
    ex_threads_used = thread->number + 1;
    ex_spins_begin(thread);
    prepare(thread);
}

int ex_free_number(void)
{
    for (int i = ex_conductor + 1; i < MAX_THREADS; i++)
        if (ex_threads[i].stage == UNUSED)
            return i;
    ex_give_up("the program creates more than %d threads", MAX_THREADS);
}

static void go(struct thread *next)
{
    struct thread *before = ex_self;
    struct door door;

    if (next == before)
        return;
    door = ex_door; /* which others come through meanwhile */
    if (before->stage == STARTED && ex_stack_pointer(before) != 0)
        before->low = ex_door.sp;
    ex_self = next;
    ex_locals_use(ex_stack_top(next));
    ex_switch(&before->sp, next->sp);
    ex_door = door;
}

/* locklab_as() */

static void run_errand(void)
{
    errand(ex_self->number);
    ex_settle();
    ex_event_stop();
    ex_self->stage = UNUSED;
    errand = NULL;
    go(&ex_threads[ex_conductor]);
}

void ex_as(struct thread *thread, void (*function)(int me))
{
    int number = (int)(thread - ex_threads);

    ex_event_stop();
    ex_spins_forget(ex_self); /* what it finds again may be another's work */
    ex_report_from_here();
    memset(thread, 0, offsetof(struct thread, frames));
    thread->number = number;
    thread->stage = STARTED;
    thread->made_by = thread->woken_by = -1;
    ex_spins_begin(thread);
    ex_locals_make(ex_stack_top(thread));
    begin_with(thread, run_errand);
    errand = function;
    go(thread);
}

/* Where the program's part of the stack ends. A model's own thread has none: 0. */
address ex_stack_pointer(const struct thread *thread)
{
    if (thread != ex_self)
        return (address)thread->sp;
    return ex_on_a_stack(ex_door.sp) && ex_stack_owner(ex_door.sp) == thread ? ex_door.sp : 0;
}

void ex_stack_is_used(const struct thread *thread, address low)
{
    if (low < deepest[thread->number])
        deepest[thread->number] = low;
}

/* who may run */

static bool holds(const struct thread *thread)
{
    const struct operation *next = &thread->next;

    if (next->open != NULL)
        return next->open(ex_bytes(next->at, next->size), thread);
    return next->ready == NULL || next->ready(thread, next->subject);
}

/* Must its buffer be emptied before it goes on? */
static bool is_held_up(const struct thread *thread)
{
    const struct buffered *store;

    if (thread->buffered == 0)
        return false;
    store = ex_buffered(thread, thread->next.at, thread->next.size);
    return thread->next.drains ||
           (store != NULL && thread->next.effect != NOTHING &&
            !ex_buffer_covers(store, thread->next.at, thread->next.size));
}

static bool goes_round(struct thread *thread)
{
    if (thread->spins && !ex_reduces() && !ex_spins_on(thread)) {
        thread->spins = false;
        ex_spins_forget(thread);
    }
    return thread->spins;
}

/* The agents that can go on, and those threads that wait. */
static agents possibilities(agents *waiting)
{
    agents enabled = 0;

    *waiting = 0;
    for (int i = 0; i < ex_threads_used; i++) {
        struct thread *thread = &ex_threads[i];

        if (thread->stage == UNUSED)
            continue;
        if (thread->buffered > 0)
            enabled |= ex_agent(2 * i + 1);
        if (thread->stage != STARTED || thread->exits || thread->gone || goes_round(thread))
            continue;
        if (!holds(thread))
            *waiting |= ex_agent(2 * i);
        else if (!is_held_up(thread))
            enabled |= ex_agent(2 * i);
    }
    return enabled;
}

/* the end */

/* The conductor is, in setup and check; between them it waits for the others. */
static bool is_unfinished(const struct thread *thread)
{
    return thread->stage == STARTED && !thread->serves &&
           (thread->number != ex_conductor || (ex_conducts() != NULL && errand == NULL));
}

/* Could a thread go on that the reduction holds back? Then another run is the one to judge. */
static bool another_run_judges(void)
{
    for (int i = 0; i < ex_threads_used; i++) {
        const struct thread *thread = &ex_threads[i];

        if (thread->stage == STARTED && thread->spins && !ex_spins_on(thread))
            return true;
    }
    return false;
}

static bool disturb_each_other(void)
{
    for (int i = 0; i < ex_threads_used; i++)
        for (int j = 0; j < ex_threads_used; j++)
            if (i != j && is_unfinished(&ex_threads[i]) && is_unfinished(&ex_threads[j]) &&
                ex_threads[i].spins && ex_spins_disturbs(&ex_threads[i], &ex_threads[j]))
                return true;
    return false;
}

/* Says what each unfinished thread is at. */
static const char *where_all_are(const char *what)
{
    static char text[2048];
    size_t length = (size_t)snprintf(text, sizeof(text), "%s:", what);

    for (int i = 0; i < ex_threads_used; i++) {
        const struct thread *thread = &ex_threads[i];
        bool waits = thread->next.open != NULL || thread->next.ready != NULL;
        char name[32];

        if (!is_unfinished(thread) || thread->exits || length > sizeof(text) - 200)
            continue;
        snprintf(name, sizeof(name), "thread %d", i);
        length += (size_t)snprintf(text + length, sizeof(text) - length, " %s %s%s at {pc:%zx};",
                                   i == ex_conductor ? ex_conducts() : name,
                                   thread->spins ? "spins" : waits ? "waits for " : "goes on",
                                   waits && !thread->spins ? thread->next.waits_for : "",
                                   thread->pc);
    }
    text[length - 1] = '\0';
    return text;
}

/* Is a thread left behind for ever at a lock, or in a loop? One that waits for work is none. */
static bool leaves_some_behind(void)
{
    for (int i = 0; i < ex_threads_used; i++) {
        const struct thread *thread = &ex_threads[i];

        if (is_unfinished(thread) && !thread->exits && (thread->spins || thread->next.locks))
            return true;
    }
    return false;
}

_Noreturn static void nobody_may_run(void)
{
    bool unfinished = false, exits = false, returned = false, discarded = false;

    for (int i = 0; i < ex_threads_used; i++) {
        struct thread *thread = &ex_threads[i];

        exits = exits || thread->exits;
        returned = returned || thread->returned;
        discarded = discarded || thread->gone;
        if (ex_reduces() && thread->stage == STARTED && !thread->spins && !thread->gone)
            ex_event_never(thread);
    }
    if (discarded)
        ex_cut_run();
    if (exits && !(returned && leaves_some_behind()))
        ex_end_run();
    if (another_run_judges()) {
        if (exits)
            ex_end_run();
        ex_cut_run();
    }
    for (int i = 0; i < ex_threads_used; i++)
        unfinished = unfinished || is_unfinished(&ex_threads[i]);
    if (!unfinished)
        ex_end_run();
    if (disturb_each_other()) {
        ex_leave_open(where_all_are("threads may go round their loops for ever, or meet so that "
                                    "one leaves; no run decides it"));
        ex_cut_run();
    }
    ex_fail("deadlock", "%s",
            where_all_are(exits ? "main() returns, and the others cannot go on"
                                : "no thread can go on"));
}

/* locklab_alone() and locklab_ahead() */

static const struct thread *alone, *ahead; /* NULL: none */
static bool ahead_has_waited;

void ex_alone(bool on)
{
    alone = on && !ex_reduces() ? ex_self : NULL;
    if (alone == NULL)
        ex_report_from_here();
}

bool ex_is_alone(void)
{
    return alone != NULL;
}

void ex_ahead(bool on)
{
    ahead = on && !ex_reduces() ? ex_self : NULL;
    ahead_has_waited = false;
}

bool ex_ahead_has_waited(void)
{
    return ahead_has_waited;
}

static bool alone_after_setup;

void ex_schedule_keep(void)
{
    alone_after_setup = alone != NULL;
}

void ex_schedule_put_back(void)
{
    if (alone_after_setup)
        alone = &ex_threads[ex_conductor];
}

/* Who goes on while a thread is alone or ahead: itself, or its buffer; or where it waits the agent
 * with the lowest number. */
static int without_a_choice(const struct thread *thread, agents enabled)
{
    for (int own = 2 * thread->number; own <= 2 * thread->number + 1; own++)
        if (enabled & ex_agent(own))
            return own;
    ahead_has_waited = true;
    return ex_lowest(enabled);
}

/* livelock: the states that this run has been in, while none of its threads was held back */

static struct {
    uint64_t run, state;
    unsigned step;
} states[STATES];
static unsigned moved_last[2 * MAX_THREADS]; /* of each agent: a store buffer is one too */
static unsigned n_states;
static uint64_t run;

void ex_schedule_begin(void)
{
    for (int i = 0; i < MAX_THREADS; i++) {
        ex_threads[i].stage = UNUSED;
        moved_last[2 * i] = moved_last[2 * i + 1] = 0;
    }
    ex_threads_used = 0;
    alone = ahead = NULL;
    errand = NULL;
    n_states = 0;
    run++;
}

static uint64_t state_of_all(void)
{
    uint64_t hash = ex_memory_hash;

    for (int i = 0; i < ex_threads_used; i++) {
        const struct thread *thread = &ex_threads[i];

        hash = ex_mix(hash, thread->stage == STARTED ? thread->state : 0);
        hash ^= thread->condition + thread->spurious;
        for (unsigned j = 0; j < thread->buffered; j++)
            hash = ex_mix(hash ^ thread->buffer[j].at, (uint64_t)thread->buffer[j].what);
    }
    return hash;
}

static void stop_when_back(agents enabled)
{
    uint64_t state = state_of_all();
    unsigned at = (unsigned)(state % STATES);

    if (++n_states > STATES / 2)
        return;
    while (states[at].run == run && states[at].state != state)
        at = (at + 1) % STATES;
    if (states[at].run == run) {
        bool all = true;

        for (int i = 0; i < ex_threads_used; i++) {
            const struct thread *thread = &ex_threads[i];

            all = all && !thread->spins && !thread->gone;
            for (int agent = 2 * i; agent <= 2 * i + 1; agent++)
                if (enabled & ex_agent(agent))
                    all = all && moved_last[agent] >= states[at].step;
        }
        if (all) {
            ex_leave_open(where_all_are("the threads come back to a state that they were in, and can "
                                        "do so for ever (a livelock, unless they are meant to)"));
            ex_cut_run();
        }
    }
    states[at].run = run;
    states[at].state = state;
    states[at].step = n_states;
}

/* the next step */

/* A short run has room for some steps of each thread. */
static unsigned patience(void)
{
    uint64_t short_run = ex_search_length() / 8;

    return short_run == 0              ? PATIENCE
           : short_run < LEAST_PATIENCE ? LEAST_PATIENCE
           : short_run < PATIENCE       ? (unsigned)short_run
                                        : PATIENCE;
}

static void reschedule(void)
{
    agents enabled, waiting;

    for (;;) {
        int agent;

        ex_event_stop();
        enabled = possibilities(&waiting);
        if (ex_is_sole()) /* or on an errand, and the conductor waits for its end */
            enabled &= ex_agent(2 * ex_self->number);
        if (enabled == 0)
            nobody_may_run();
        if (ex_is_sole()) {
            agent = 2 * ex_self->number;
        } else {
            stop_when_back(enabled);
            agent = alone != NULL || ahead != NULL
                        ? without_a_choice(alone != NULL ? alone : ahead, enabled)
                        : ex_pick(enabled, 2 * ex_self->number, ex_self->in_a_row < patience());
        }
        ex_event_start(agent, ex_node(), waiting);
        moved_last[agent] = n_states;
        if (agent % 2 == 0) {
            struct thread *next = &ex_threads[agent / 2];

            next->in_a_row = next == ex_self && next->in_a_row < patience() ? next->in_a_row + 1 : 0;
            next->plain_in_a_row = 0;
            go(next);
            return;
        }
        ex_flush_oldest(&ex_threads[agent / 2]);
    }
}

void ex_bound_steps(void)
{
    if (ex_time_is_up())
        ex_give_up_for_time();
    if (ex_search_length() > 0 && ex_steps_after_setup() >= ex_search_length())
        ex_too_long("a run takes more than %zu steps", (size_t)ex_search_length());
    if (ex_steps() >= ex_options.max_steps)
        ex_too_long("a run takes more than %zu steps: make the test smaller, or raise --max-steps",
                   (size_t)ex_options.max_steps);
}

/* No other thread could go on, and nothing has to be remembered. Now and then the long way is taken
 * for some steps, which notices a loop without an end. It begins without a past, since what was done
 * on the straight way is not noted. */
static bool goes_straight_on(void)
{
    unsigned step = ex_self->in_a_row;

    if (!ex_is_sole() || !holds(ex_self))
        return false;
    if (step == STRAIGHT)
        ex_spins_forget(ex_self);
    if (step >= STRAIGHT && step < STRAIGHT + WATCHED)
        return false;
    ex_self->in_a_row = step < PATIENCE ? step + 1 : 0;
    return true;
}

void ex_point(struct operation operation)
{
    ex_settle();
    ex_bound_steps();
    ex_event_stop();
    ex_self->pc = ex_door.pc;
    ex_self->next = operation;
    if (goes_straight_on())
        return;
    ex_reached_note(ex_self, &operation);
    ex_self->spins = ex_spins(ex_self, (address)__builtin_return_address(0));
    reschedule();
}

void ex_pause(void)
{
    ex_point((struct operation){.effect = NOTHING});
}

/* A loop of plain reads meets no point: now and then it meets this one. */
void ex_plain_patience(void)
{
    if (++ex_self->plain_in_a_row == PLAIN_PATIENCE)
        ex_pause();
}

void ex_end_thread(void *result)
{
    ex_keys_end();
    ex_settle();
    ex_orders_synchronise();
    ex_self->result = result;
    ex_self->stage = ENDED;
    reschedule();
    __builtin_unreachable();
}

void ex_exit(void)
{
    ex_settle();
    ex_self->exits = true;
    reschedule();
    __builtin_unreachable();
}

void ex_vanish(void)
{
    ex_settle();
    ex_self->gone = true;
    reschedule();
    __builtin_unreachable();
}

bool ex_on_a_stack(address at)
{
    return at >= STACKS && at < STACKS + MAX_THREADS * STACK_SIZE;
}

struct thread *ex_stack_owner(address at)
{
    return &ex_threads[(at - STACKS) / STACK_SIZE];
}

void ex_enter(struct thread *first)
{
    ex_self = first;
    ex_event_start(ex_pick(ex_agent(2 * first->number), 2 * first->number, true), ex_node(), 0);
    ex_locals_use(ex_stack_top(first));
    ex_switch(&outside, first->sp);
    ex_self = NULL;
}

void ex_leave(void)
{
    void *unused;

    ex_switch(&unused, outside);
    __builtin_unreachable();
}
