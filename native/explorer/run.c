/* SPDX-License-Identifier: MIT */
/*
 * One run of the program: everything new, setup, threads, check; and how it ends.
 *
 * A program with a main() is thread 0 itself, and what its pthread_create() makes counts from 1.
 * One with locklab_thread() has threads from 0, and one more beside them, the conductor, which does
 * setup and check while nobody else runs, and whose steps are not told.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "explorer.h"

int program_main(int argc, char **argv) __attribute__((weak));
void locklab_setup(void) __attribute__((weak));
void locklab_thread(int me) __attribute__((weak));
void locklab_check(void) __attribute__((weak));

int ex_conductor = -1;

static const char *conducts; /* the function that the conductor is in; NULL: none */
static bool inside, is_open, is_endless;
static enum outcome outcome;
static char found[32], message[4096];

static struct { /* setup says it: so it is kept as what setup leaves is */
    const char *words;
    const unsigned *numbers;
} context;

void ex_context(const char *words, const unsigned *numbers)
{
    context.words = words;
    context.numbers = numbers;
}

/* The message: what came before, and what went wrong. */
static void say(const char *text, va_list arguments)
{
    const char *at = context.words != NULL ? context.words : "";
    const unsigned *number = context.numbers;
    size_t length = 0;

    for (; *at != '\0' && length < sizeof(message) / 2; at++)
        if (*at == '#')
            length += (size_t)sprintf(message + length, "%u", *number++);
        else
            message[length++] = *at;
    vsnprintf(message + length, sizeof(message) - length, text, arguments);
}

static void *main_thread(void *unused)
{
    static char name[] = "program", *argv[] = {name, NULL};
    int status;

    ex_construct();
    status = program_main(1, argv);
    if (status != 0)
        ex_fail("assertion", "main() returns %d", status);
    ex_self->returned = true;
    ex_destruct();
    ex_exit();
    return unused;
}

static void *worker(void *me)
{
    locklab_thread((int)(intptr_t)me);
    return NULL;
}

static bool all_others_have_ended(const struct thread *self, address unused)
{
    (void)unused;
    for (int i = 0; i < ex_threads_used; i++) {
        const struct thread *other = &ex_threads[i];

        if (other->buffered > 0 || (other->stage == STARTED && other != self && !other->serves))
            return false;
    }
    return ex_rcu_idle();
}

static void *threads_and_check(void *unused)
{
    conducts = NULL;
    for (int i = 0; i < ex_options.threads; i++)
        ex_spawn(i, worker, (void *)(intptr_t)i);
    ex_point((struct operation){.ready = all_others_have_ended, .waits_for = "all threads"});
    for (int i = 0; i < ex_threads_used; i++)
        if (&ex_threads[i] != ex_self) {
            ex_event_after(ex_event_last(2 * i));
            ex_event_after(ex_event_last(2 * i + 1));
            ex_clock_join(&ex_self->now, &ex_threads[i].now);
        }
    conducts = "locklab_check()";
    if (locklab_check != NULL)
        locklab_check();
    ex_destruct();
    ex_end_run();
    return unused;
}

static void *conductor(void *unused)
{
    conducts = "locklab_setup()";
    ex_construct();
    if (locklab_setup != NULL)
        locklab_setup();
    ex_point((struct operation){.effect = NOTHING, .drains = true});
    if (ex_is_sole() && ex_rcu_idle()) {
        ex_event_stop();
        outcome = SET_UP;
        ex_leave();
    }
    if (ex_is_sole())
        ex_rcu_serve(); /* callbacks are pending: they run among the threads */
    return threads_and_check(unused);
}

const char *ex_conducts(void)
{
    return conducts;
}

static void enter(struct thread *first)
{
    ex_door = (struct door){0}; /* nobody has come in yet */
    inside = true;
    ex_enter(first);
    inside = false;
}

/* Nothing has happened yet. */
static void begin(void)
{
    ex_memory_begin();
    ex_races_begin();
    ex_messages_begin();
    ex_orders_begin();
    ex_report_begin();
    ex_rcu_begin();
    ex_schedule_begin();
    ex_events_begin();
}

static struct thread *first_of_all(void)
{
    bool has_setup = locklab_setup != NULL || ex_has_constructors();

    context.words = NULL;
    ex_statics_restore();
    ex_heap_begin();
    ex_lifetime_begin();
    ex_keys_begin();
    if (program_main != NULL)
        return ex_spawn(0, main_thread, NULL);
    ex_sole_begin(has_setup);
    return ex_spawn(ex_conductor, has_setup ? conductor : threads_and_check, NULL);
}

enum outcome ex_run_once(void)
{
    ex_conductor = program_main == NULL ? ex_options.threads : -1;
    ex_search_run_begins();
    if (!ex_setup_is_kept()) {
        begin();
        enter(first_of_all());
        ex_sole_end();
        if (outcome != SET_UP)
            return outcome;
        ex_setup_keep();
    }
    begin();
    enter(ex_setup_put_back(threads_and_check));
    return outcome;
}

void ex_end_run(void)
{
    ex_settle();
    ex_search_run_ends();
    if (ex_options.leaks && ex_rcu_idle())
        ex_heap_leaks();
    outcome = ENDED_WELL;
    ex_leave();
}

void ex_cut_run(void)
{
    ex_search_run_ends();
    outcome = CUT_SHORT;
    ex_leave();
}

void ex_fail(const char *what, const char *text, ...)
{
    va_list arguments;

    ex_settle();
    va_start(arguments, text);
    say(text, arguments);
    va_end(arguments);
    snprintf(found, sizeof(found), "%s", what);
    outcome = FAILED;
    ex_leave();
}

_Noreturn static void unfinished(const char *text, va_list arguments)
{
    say(text, arguments);
    outcome = GAVE_UP;
    if (inside)
        ex_leave();
    ex_finish(GAVE_UP);
}

void ex_give_up(const char *text, ...)
{
    va_list arguments;

    va_start(arguments, text);
    unfinished(text, arguments);
}

void ex_endless(const char *text, ...)
{
    va_list arguments;

    va_start(arguments, text);
    is_endless = true;
    unfinished(text, arguments);
}

void ex_too_long(const char *text, ...)
{
    va_list arguments;

    va_start(arguments, text);
    if (!ex_search_shortens()) {
        is_endless = true;
        unfinished(text, arguments);
    }
    if (!is_open)
        say(text, arguments);
    is_open = is_endless = true;
    ex_cut_run();
}

/* The time that may be spent: asked for in each step, since a run can be long. */

static volatile sig_atomic_t time_is_up;

bool ex_time_is_up(void)
{
    return time_is_up;
}

static void end_of_time(int signal)
{
    (void)signal;
    time_is_up = 1;
}

void ex_time_limit(void)
{
    const struct itimerval once = {
        .it_value = {(time_t)ex_options.seconds,
                     (suseconds_t)(1e6 * (ex_options.seconds - (double)(time_t)ex_options.seconds))}};
    struct sigaction action = {.sa_handler = end_of_time, .sa_flags = SA_ONSTACK | SA_RESTART};

    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &once, NULL);
}

void ex_give_up_for_time(void)
{
    double done = ex_search_complete() ? ex_search_done() : 0;

    if (!is_open && done > 1e-6)
        ex_give_up("the time is up after %zu runs of about %.2g or more: raise --max-time, or make the "
                   "test smaller",
                   (size_t)ex_runs(), (double)ex_runs() / done);
    if (!is_open)
        ex_give_up("the time is up: raise --max-time, or make the test smaller");
    outcome = GAVE_UP; /* for the reason that is known */
    if (inside)
        ex_leave();
    ex_finish(GAVE_UP);
}

/* A submission is compiled so that it comes here with each stretch of its code. A loop that reaches
 * no memory is known by that, on a slow machine as on a fast one. */

#define MOST_STRETCHES 300000000u

static uint64_t path;

unsigned long ex_path(void)
{
    unsigned long taken = path;

    path = 0;
    return taken;
}

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
    static uint64_t steps_then;
    static unsigned stretches;

    path = ex_mix(path, (uint64_t)(uintptr_t)__builtin_return_address(0));

    if (steps_then != ex_total_steps()) {
        steps_then = ex_total_steps();
        stretches = 0;
    }
    if (++stretches == MOST_STRETCHES)
        ex_endless("thread %d goes on without touching memory that others can reach, after {pc:%zx}: "
                   "an endless loop",
                   ex_self->number, ex_self->pc);
}

void ex_leave_open(const char *text)
{
    is_open = is_endless = true;
    snprintf(message, sizeof(message), "%s", text);
}

bool ex_is_endless(void)
{
    return is_endless;
}

bool ex_is_open(void)
{
    return is_open;
}

const char *ex_found(void)
{
    return found;
}

const char *ex_message(void)
{
    return message;
}

/* Signals: a crash of the program, and a loop that touches nothing. */

static void crashed(int signal, siginfo_t *info, void *context)
{
    address at = (address)info->si_addr;

    (void)context;
    if (!inside || ex_self == NULL) {
        if (signal == SIGVTALRM)
            return; /* a tick between two runs says nothing of the program */
        _exit(70);
    }
    if (signal == SIGVTALRM) {
        static uint64_t steps_then;
        static unsigned idle;

        idle = steps_then == ex_total_steps() ? idle + 1 : 0;
        steps_then = ex_total_steps();
        if (idle < 20 && idle <= ex_options.seconds)
            return;
        ex_give_up("thread %d has computed for %u s without touching memory that others can reach: "
                   "an endless loop, or too long a computation",
                   ex_self->number, idle);
    }
    if (signal == SIGFPE)
        ex_fail("fault", "thread %d divides by zero; its last access was at {pc:%zx}",
                ex_self->number, ex_self->pc);
    if (signal == SIGILL || signal == SIGTRAP) /* of x86-64, of aarch64 */
        ex_fail("memory",
                "thread %d reaches beyond an array at {pc:%zx}", ex_self->number, at);
    ex_fail("memory",
            "thread %d touches {at:%zx}, where there is no memory%s; its last access was at "
            "{pc:%zx}",
            ex_self->number, at, ex_on_a_stack(at) ? " (its stack is used up)" : "", ex_self->pc);
}

void ex_signals_catch(void)
{
    static char stack[1 << 16];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction action = {.sa_sigaction = crashed,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGVTALRM};

    sigaltstack(&other, NULL);
    for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &action, NULL);
}
