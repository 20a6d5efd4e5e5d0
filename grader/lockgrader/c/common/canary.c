/* SPDX-License-Identifier: MIT */
/* Mistakes that a sanitizer must report: compiled with it, and called in the middle of a run. */
#include <stdint.h>
#include <stdlib.h>

enum { OVERFLOW = 11, RACE, SHIFT };

void canary_errs(unsigned canary);

static unsigned plain;
static volatile unsigned sink, wide = 40;

void canary_errs(unsigned canary)
{
    if (canary == OVERFLOW) {
        volatile char *block = malloc(16 + wide % 8);

        sink = (unsigned)block[16 + wide % 8];
        free((void *)(uintptr_t)block);
    } else if (canary == RACE) {
        plain++;
    } else if (canary == SHIFT) {
        sink = 1u + (unsigned)((int)sink << wide);
    }
}
