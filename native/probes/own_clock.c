/* SPDX-License-Identifier: MIT */
/* A reading of the monotonic clock, as in loops that time themselves. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#define PROBE own_clock
#define TURN(line, value)                                                                          \
    do {                                                                                           \
        struct timespec now;                                                                       \
        clock_gettime(CLOCK_MONOTONIC, &now);                                                      \
        value += (uint64_t)now.tv_nsec;                                                            \
    } while (0)

#include "probes/own.h"
