/* SPDX-License-Identifier: MIT */
/* malloc() and free() of one line; the pair counts as one operation. */
#include <stdlib.h>

#define PROBE own_malloc
#define TURN(line, value)                                                                          \
    do {                                                                                           \
        void *object = malloc(LOCKLAB_LINE);                                                       \
        __asm__ volatile("" : "+r"(object) : : "memory"); /* or the compiler removes the pair */            \
        free(object);                                                                              \
    } while (0)

#include "probes/own.h"
