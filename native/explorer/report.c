/* SPDX-License-Identifier: MIT */
/*
 * The steps of a run, and the verdict, as one JSON object.
 *
 * Places and addresses are numbers here; who reads the object has the program's symbols and names
 * them. A text from the program (an assertion) is the only one that has to be escaped.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "explorer.h"

#define MAX_TOLD 20000 /* steps: the last ones of a run; those before are counted, not told */

struct step {
    const char *operation, *mark;
    address pc, at;
    uint64_t old, new;
    unsigned size, behind;
    uint8_t thread;
    bool held;
};

static struct step steps[MAX_TOLD];
static uint64_t n_steps, total, told_from;

void ex_report_begin(void)
{
    n_steps = told_from = 0;
}

void ex_report_from_here(void)
{
    told_from = n_steps;
}

/* setup.c */

static uint64_t kept_steps;

void ex_report_keep(void)
{
    kept_steps = n_steps;
}

void ex_report_put_back(void)
{
    n_steps = told_from = kept_steps;
}

/* The run was not one of this process's. */
void ex_report_forget(void)
{
    total -= n_steps;
}

uint64_t ex_steps(void)
{
    return n_steps;
}

uint64_t ex_steps_after_setup(void)
{
    return n_steps > kept_steps ? n_steps - kept_steps : 0;
}

uint64_t ex_total_steps(void)
{
    return total;
}

/* Where a step is that is told. A new beginning takes the first places again: they are in the cache. */
static struct step *step_at(uint64_t number)
{
    return &steps[(number - told_from) % MAX_TOLD];
}

static struct step *next_step(void)
{
    total++;
    return step_at(n_steps++);
}

/* Does its thread learn something by it, that it has not put there itself? */
static bool is_seen(const struct thread *thread, const char *operation, address at)
{
    return strcmp(operation, "write") != 0 && strcmp(operation, "store") != 0 &&
           !(ex_on_a_stack(at) && ex_stack_owner(at) == thread);
}

void ex_step_of(struct thread *thread, const char *operation, address pc, address at, unsigned size,
                uint64_t old, uint64_t new)
{
    if (ex_options.c11 && !ex_is_sole() && is_seen(thread, operation, at))
        ex_orders_see(thread->number, ex_mix(ex_mix(pc, at), ex_mix(old, new)), size <= sizeof(old));
    *next_step() = (struct step){.operation = operation,
                                 .pc = pc,
                                 .at = at,
                                 .old = old,
                                 .new = new,
                                 .size = size,
                                 .thread = (uint8_t)thread->number};
}

uint64_t *ex_step(const char *operation, address at, unsigned size, uint64_t old, uint64_t new)
{
    ex_step_of(ex_self, operation, ex_self->pc, at, size, old, new);
    return &step_at(n_steps - 1)->new;
}

static struct step *last_step(void)
{
    return step_at(n_steps - 1);
}

void ex_step_held(void)
{
    last_step()->held = true;
}

void ex_step_behind(unsigned newer)
{
    last_step()->behind = newer;
}

void ex_step_mark(const char *what)
{
    if (n_steps > told_from && last_step()->thread == ex_self->number)
        last_step()->mark = what;
}

/* JSON */

void ex_print(int fd, const char *text, ...)
{
    va_list arguments;

    va_start(arguments, text);
    vdprintf(fd, text, arguments);
    va_end(arguments);
}

static void print_string(int fd, const char *text)
{
    ex_print(fd, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            ex_print(fd, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            ex_print(fd, "\\u%04x", c);
        else
            ex_print(fd, "%c", c);
    }
    ex_print(fd, "\"");
}

/* Limits of a proof. */

static const char *const limit_names[LIMITS] = {[ALLOCATION] = "allocation",
                                                [SPURIOUS] = "spurious",
                                                [WAKE_UPS] = "wake-ups"};
static bool limits[LIMITS];

void ex_reach_limit(enum limit limit)
{
    limits[limit] = true;
}

bool ex_happens(enum limit limit, bool is_tried)
{
    if (!is_tried) {
        ex_reach_limit(limit);
        return false;
    }
    ex_spins_add_choice();
    return ex_choose(2, 1) == 1;
}

static void print_limits(int fd)
{
    const char *comma = "";

    for (int i = 0; i < LIMITS; i++)
        if (limits[i]) {
            ex_print(fd, "%s\"%s\"", comma, limit_names[i]);
            comma = ", ";
        }
}

static void print_steps(int fd)
{
    const char *comma = "";

    uint64_t kept = n_steps > MAX_TOLD ? n_steps - MAX_TOLD : 0;

    for (uint64_t i = kept > told_from ? kept : told_from; i < n_steps; i++) {
        const struct step *step = step_at(i);

        if (step->thread == ex_conductor)
            continue;
        ex_print(
            fd,
            "%s{\"thread\": %u, \"operation\": \"%s\", \"pc\": %zu, \"at\": %zu, \"size\": %u, "
            "\"old\": %zu, \"new\": %zu, \"held\": %s, \"behind\": %u, \"mark\": ",
            comma, step->thread, step->operation, step->pc, step->at, step->size, (size_t)step->old,
            (size_t)step->new, step->held ? "true" : "false", step->behind);
        print_string(fd, step->mark != NULL ? step->mark : "");
        ex_print(fd, "}");
        comma = ",\n";
    }
}

static int threads_used(void)
{
    int used = ex_conductor >= 0 ? ex_options.threads : 0;

    for (int i = 0; i < MAX_THREADS; i++)
        if (ex_threads[i].stage != UNUSED && i != ex_conductor)
            used = i + 1;
    return used;
}

void ex_report(int fd, const char *verdict, uint64_t runs, uint64_t traces, double seconds)
{
    ex_print(
        fd,
        "{\"verdict\": \"%s\", \"complete\": %s, \"bound\": %d, \"runs\": %zu, \"traces\": %zu, "
        "\"steps\": %zu, "
        "\"seconds\": %.3f, \"done\": %.9e, \"threads\": %d, \"part\": %zu, \"endless\": %s, \"found\": ",
        verdict, ex_search_complete() ? "true" : "false", ex_search_bound(), (size_t)runs,
        (size_t)traces, (size_t)total, seconds, ex_search_done(), threads_used(),
        (size_t)ex_parts_failed(), ex_is_endless() ? "true" : "false");
    print_string(fd, ex_found());
    ex_print(fd, ", \"message\": ");
    print_string(fd, ex_message());
    ex_print(fd, ", \"partial\": ");
    print_string(fd, ex_partial());
    ex_print(fd, ", \"limits\": [");
    print_limits(fd);
    ex_print(fd, "], \"accesses\": [");
    ex_orders_print(fd);
    ex_print(fd, "], \"choices\": \"");
    ex_choices_print(fd);
    ex_print(fd, "\", \"blocks\": [");
    ex_heap_print(fd);
    ex_print(fd, "], \"path\": [");
    if ((ex_found()[0] != '\0' || ex_options.replay != NULL) && !ex_is_alone())
        print_steps(fd);
    ex_print(fd, "]}\n");
}
