/* SPDX-License-Identifier: MIT */
/*
 * The program's statics.
 *
 * Its .data and .bss were renamed to the sections below before it was linked, so that the
 * linker says where they begin and end, and nothing of the explorer or the C library is among them.
 * Sections to which the program itself gave a name keep it, and are listed in program_sections
 * (locknative.explorer.sections). What is not trusted has names of its own (confine.c).
 */
#include <stdlib.h>
#include <string.h>

#include "explorer.h"

#define SECTION(name)                                                                              \
    extern char __start_##name[] __attribute__((weak)), __stop_##name[] __attribute__((weak));
SECTION(program_data)
SECTION(program_bss)
SECTION(submission_data)
SECTION(submission_bss)

/* The begin and the end of each section; the last begin is NULL. */
extern char *const program_sections[] __attribute__((weak));

/* Between two variables there are bytes that are nobody's: the address of each such gap. */
#define GAP 64 /* sections.py */
extern address __start_program_gaps[] __attribute__((weak)),
    __stop_program_gaps[] __attribute__((weak));
static address *gaps;
static size_t n_gaps;

static char *saved[MAX_STATICS];

unsigned ex_statics_count(void)
{
    unsigned n = OWN_STATICS;

    if (program_sections != NULL)
        while (n < MAX_STATICS && program_sections[2 * (n - OWN_STATICS)] != NULL)
            n++;
    return n;
}

void ex_statics_range(unsigned which, address *from, address *to)
{
    static char *const own[2 * OWN_STATICS] = {
        __start_program_data,    __stop_program_data,    __start_program_bss,    __stop_program_bss,
        __start_submission_data, __stop_submission_data, __start_submission_bss, __stop_submission_bss,
    };
    char *const *section =
        which < OWN_STATICS ? &own[2 * which] : &program_sections[2 * (which - OWN_STATICS)];

    *from = (address)section[0];
    *to = (address)section[1];
}

static int compare(const void *a, const void *b)
{
    address first = *(const address *)a, second = *(const address *)b;

    return (first > second) - (first < second);
}

static void sort_gaps(void)
{
    size_t size = (size_t)((char *)__stop_program_gaps - (char *)__start_program_gaps);

    gaps = malloc(size + 1);
    if (gaps == NULL)
        ex_give_up("no memory for a list of the statics");
    memcpy(gaps, __start_program_gaps, size);
    n_gaps = size / sizeof(*gaps);
    qsort(gaps, n_gaps, sizeof(*gaps), compare);
}

bool ex_statics_overflow(address at, size_t size)
{
    size_t low = 0, high = n_gaps;

    if (n_gaps == 0 || at + size <= gaps[0] || at >= gaps[n_gaps - 1] + GAP)
        return false;
    while (low < high) { /* gaps before `low` begin before the access ends */
        size_t middle = (low + high) / 2;

        if (gaps[middle] < at + size)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && gaps[low - 1] + GAP > at;
}

void ex_statics_save(void)
{
    sort_gaps();
    for (unsigned i = 0; i < ex_statics_count(); i++) {
        address from, to;

        ex_statics_range(i, &from, &to);
        saved[i] = malloc(to - from + 1);
        if (saved[i] == NULL)
            ex_give_up("no memory for a copy of the statics");
        memcpy(saved[i], (void *)from, to - from);
    }
}

void ex_statics_restore(void)
{
    for (unsigned i = 0; i < ex_statics_count(); i++) {
        address from, to;

        ex_statics_range(i, &from, &to);
        memcpy((void *)from, saved[i], to - from);
    }
}
