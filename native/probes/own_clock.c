/* SPDX-License-Identifier: MIT */
/* Reading the monotonic clock, as loops do that time what they do. */
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
