/* SPDX-License-Identifier: MIT */
/*
 * Fibers, and who of them may run.
 *
 * A thread may run unless it has ended, waits for a condition that does not hold, or spins in vain.
 *
 * Spinning. At each point the thread's whole state is at hand: the place, the registers that a call
 * preserves, its stack; and all of memory and of the store buffers, by their hash. When all of
 * them are as they were at an earlier arrival, the thread will do the same again and again until
 * somebody changes memory or a buffer, and until then it is not let run. A loop that counts its
 * rounds has a new state each time and is let run until it gives up. Nothing is guessed: so when
 * all threads wait or spin, no way leads on, and that is reported.
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
#define PATIENCE 1000

extern void ex_switch(void **save_sp, void *next_sp);

struct thread ex_threads[MAX_THREADS];
struct thread *ex_self;
struct door ex_door;

static void *outside;                /* the stack of main() while a run is on */
static address deepest[MAX_THREADS]; /* stack pointer of any run */

static address stack_top(const struct thread *thread)
{
    return STACKS + ((address)thread->number + 1) * STACK_SIZE;
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
    address top = stack_top(thread), *low = &deepest[thread->number];

    if (*low == 0)
        *low = top - 8192;
    memset((void *)*low, 0, top - *low);
}

static void prepare(struct thread *thread)
{
    void **sp = (void **)stack_top(thread);

    clean_stack(thread);
#if defined(__x86_64__)
    *--sp = NULL; /* as if fiber() had been called: sp is 8 beyond a multiple of 16 */
    *--sp = (void *)fiber;
    sp -= 6; /* what ex_switch() pops */
    memset(sp, 0, 6 * sizeof(*sp));
#else
    sp -= 20;
    memset(sp, 0, 20 * sizeof(*sp));
    sp[11] = (void *)fiber; /* x30 */
#endif
    thread->sp = sp;
}

struct thread *ex_spawn(int number, void *(*start)(void *), void *argument)
{
    struct thread *thread = &ex_threads[number];

    memset(thread, 0, sizeof(*thread));
    thread->number = number;
    thread->stage = STARTED;
    thread->start = start;
    thread->argument = argument;
    if (ex_self != NULL) {
        ex_drain(ex_self);
        thread->now = ex_self->now;
    }
    if (ex_options.pct_depth > 0)
        ex_priority_new(thread);
    prepare(thread);
    return thread;
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
    ex_self = next;
    ex_switch(&before->sp, next->sp);
    ex_door = door;
}

/* spinning */

static uint64_t state_of(const struct thread *thread)
{
    uint64_t hash = 0;

    if (ex_door.sp - 4096 < deepest[thread->number])
        deepest[thread->number] = ex_door.sp - 4096;
    for (const uint64_t *at = (const uint64_t *)(ex_door.sp & ~(address)7);
         at < (const uint64_t *)stack_top(thread); at++)
        hash = (hash ^ *at) * 0x9fb21c651e98df25u + (hash >> 29);
    for (unsigned i = 0; i < sizeof(ex_door.saved) / sizeof(ex_door.saved[0]); i++)
        hash = ex_mix(hash, ex_door.saved[i]);
    return hash | 1;
}

/* Has the thread been here before, with everything as it is now? What was seen is kept in sets of
 * four, the oldest of which makes room. */
static bool seen_before(struct thread *thread)
{
    uint64_t key = ex_mix(ex_door.pc, thread->spins_on);
    uint64_t state = state_of(thread);
    struct visit *set = &thread->visits[key % (MAX_VISITS / 4) * 4];

    for (unsigned i = 0; i < 4; i++)
        if (set[i].key == key && set[i].state == state)
            return true;
    memmove(set + 1, set, 3 * sizeof(*set));
    set[0] = (struct visit){key, state};
    return false;
}

/* who may run */

static bool may_run(struct thread *thread)
{
    if (thread->stage != STARTED)
        return false;
    if (thread->ready != NULL)
        return thread->ready(thread, thread->subject);
    return !thread->spins || ex_visible() != thread->spins_on;
}

static bool all_have_ended(void)
{
    for (int i = 0; i < MAX_THREADS; i++)
        if (ex_threads[i].stage == STARTED && !ex_threads[i].serves)
            return false;
    return true;
}

_Noreturn static void nobody_may_run(void)
{
    char text[2048] = "no thread can go on:";
    size_t length = strlen(text);

    if (all_have_ended())
        ex_end_run();
    for (int i = 0; i < MAX_THREADS; i++) {
        struct thread *thread = &ex_threads[i];

        if (thread->stage != STARTED || thread->serves || i == ex_conductor ||
            length > sizeof(text) - 200)
            continue;
        length +=
            (size_t)snprintf(text + length, sizeof(text) - length, " thread %d %s%s at {pc:%zx};",
                             i, thread->ready != NULL ? "waits for " : "spins",
                             thread->ready != NULL ? thread->waits_for : "", thread->pc);
    }
    text[length - 1] = '\0';
    ex_fail("deadlock", "%s", text);
}

/* The threads that may run, the one that took the last step first. */
static unsigned possibilities(struct choice *choices)
{
    bool goes_on = may_run(ex_self);
    bool patient = ex_self->in_a_row < PATIENCE;
    unsigned n = 0;

    if (goes_on && patient)
        choices[n++] = (struct choice){ex_self->number, 0};
    for (int i = 0; i < MAX_THREADS; i++)
        if (&ex_threads[i] != ex_self && may_run(&ex_threads[i]))
            choices[n++] = (struct choice){i, goes_on && patient ? 1 : 0};
    if (goes_on && !patient) {
        ex_self->in_a_row = 0;
        choices[n] = (struct choice){ex_self->number, n > 0 ? 1 : 0};
        n++;
    }
    return n;
}

static void reschedule(void)
{
    struct choice choices[MAX_THREADS];
    struct thread *next;
    unsigned n;

    while ((n = possibilities(choices)) == 0)
        if (!ex_flush_any())
            nobody_may_run();
    next = &ex_threads[choices[ex_choose(choices, n)].agent];
    next->in_a_row = next == ex_self ? next->in_a_row + 1 : 0;
    next->spins = false;
    next->ready = NULL;
    go(next);
}

/* The thread has learned something that is not in its state: it is not spinning. */
void ex_forget_visits(void)
{
    memset(ex_self->visits, 0, sizeof(ex_self->visits));
}

void ex_bound_steps(void)
{
    if (ex_steps() >= ex_options.max_steps)
        ex_give_up("a run takes more than %zu steps: make the test smaller, or raise --max-steps",
                   (size_t)ex_options.max_steps);
}

void ex_point(void)
{
    ex_settle();
    ex_bound_steps();
    ex_self->pc = ex_door.pc;
    ex_self->spins_on = ex_visible();
    ex_self->spins = seen_before(ex_self);
    reschedule();
}

void ex_wait(bool (*ready)(struct thread *self, address subject), address subject,
             const char *waits_for)
{
    ex_settle();
    ex_self->pc = ex_door.pc;
    ex_self->ready = ready;
    ex_self->subject = subject;
    ex_self->waits_for = waits_for;
    reschedule();
}

void ex_end_thread(void *result)
{
    ex_settle();
    ex_self->result = result;
    ex_self->stage = ENDED;
    reschedule();
    __builtin_unreachable();
}

bool ex_on_a_stack(address at)
{
    return at >= STACKS && at < STACKS + MAX_THREADS * STACK_SIZE;
}

void ex_enter(struct thread *first)
{
    ex_self = first;
    ex_switch(&outside, first->sp);
    ex_self = NULL;
}

void ex_leave(void)
{
    void *unused;

    ex_switch(&unused, outside);
    __builtin_unreachable();
}
