/* SPDX-License-Identifier: MIT */
/*
 * How a program begins and ends: constructors, what atexit() was given, destructors, exit().
 *
 * All of them are a part of each run, in the thread that begins or ends the program. The pointers
 * that the C library would call are kept from it: their sections have other names
 * (locknative.explorer.sections), and program_constructors and program_destructors say where
 * they lie.
 */
#include <string.h>

#include "explorer.h"

#define ENTRY(name) ex_do_##name
#define MAX_EXITS 64

typedef void (*function)(void);

/* The begin and the end of each section, in the order of the calls; the last begin is NULL. */
extern const function *const program_constructors[] __attribute__((weak));
extern const function *const program_destructors[] __attribute__((weak));

static struct exits {
    function functions[MAX_EXITS];
    unsigned n;
    struct clock registered; /* what happens before their calls */
} exits, kept;

void ex_lifetime_begin(void)
{
    exits.n = 0;
    exits.registered = (struct clock){0};
}

void ex_lifetime_keep(void)
{
    kept = exits;
}

void ex_lifetime_put_back(void)
{
    exits = kept;
}

bool ex_has_constructors(void)
{
    return program_constructors != NULL;
}

void ex_construct(void)
{
    for (const function *const *section = program_constructors; section != NULL && *section != NULL;
         section += 2)
        for (const function *at = section[0]; at < section[1]; at++)
            (*at)();
}

static void call_destructors(void)
{
    for (const function *const *section = program_destructors; section != NULL && *section != NULL;
         section += 2)
        for (const function *at = section[1]; at > section[0];)
            (*--at)();
}

static void meet(void)
{
    ex_point((struct operation){.at = SUBJECT_EXITS, .size = 1, .effect = UPDATES});
}

void ex_destruct(void)
{
    if (exits.n > 0) {
        meet();
        ex_clock_join(&ex_self->now, &exits.registered);
    }
    while (exits.n > 0)
        exits.functions[--exits.n]();
    call_destructors();
}

int ENTRY(atexit)(function function)
{
    ex_note_caller();
    meet();
    ex_spins_forget(ex_self);
    if (exits.n == MAX_EXITS)
        ex_give_up("atexit() is called more than %d times: make the test smaller", MAX_EXITS);
    exits.functions[exits.n++] = function;
    ex_clock_join(&exits.registered, &ex_self->now);
    ex_step("atexit", 0, 0, 0, 0);
    return 0;
}

void ENTRY(abort)(void)
{
    ex_note_caller();
    ex_fail("assertion", "thread %d calls abort() at {pc:%zx}", ex_self->number, ex_self->pc);
}

static void check_status(const char *name, int status)
{
    ex_note_caller();
    if (status != 0)
        ex_fail("assertion", "thread %d calls %s(%d) at {pc:%zx}", ex_self->number, name, status,
                ex_self->pc);
}

void ENTRY(exit)(int status)
{
    check_status("exit", status);
    ex_destruct();
    ex_exit();
}

void ENTRY(_exit)(int status)
{
    check_status("_exit", status);
    ex_exit();
}

void ENTRY(__assert_fail)(const char *condition, const char *file, unsigned line,
                          const char *function)
{
    const char *slash = strrchr(file, '/');

    (void)function;
    ex_note_caller();
    ex_fail("assertion", "thread %d finds %s false at %s:%u", ex_self->number, condition,
            slash != NULL ? slash + 1 : file, line);
}
