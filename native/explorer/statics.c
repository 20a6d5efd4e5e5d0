/* SPDX-License-Identifier: MIT */
/*
 * The program's statics.
 *
 * Its .data and .bss were renamed to the sections below before it was linked, so that the
 * linker says where they begin and end, and nothing of the explorer or the C library is among them.
 */
#include <stdlib.h>
#include <string.h>

#include "explorer.h"

extern char __start_program_data[] __attribute__((weak)),
    __stop_program_data[] __attribute__((weak));
extern char __start_program_bss[] __attribute__((weak)), __stop_program_bss[] __attribute__((weak));

static char *saved[STATICS];

void ex_statics_range(unsigned which, address *from, address *to)
{
    *from = (address)(which == 0 ? __start_program_data : __start_program_bss);
    *to = (address)(which == 0 ? __stop_program_data : __stop_program_bss);
}

void ex_statics_save(void)
{
    for (unsigned i = 0; i < STATICS; i++) {
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
    for (unsigned i = 0; i < STATICS; i++) {
        address from, to;

        ex_statics_range(i, &from, &to);
        memcpy((void *)from, saved[i], to - from);
    }
}
