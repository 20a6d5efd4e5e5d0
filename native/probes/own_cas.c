/* SPDX-License-Identifier: MIT */
/* A load and a compare-and-swap that succeeds, on a line of its own: as in most lock-free loops. */
#define PROBE own_cas
#define TURN(line, value)                                                                          \
    do {                                                                                           \
        value = atomic_load_explicit(&(line)->word, memory_order_relaxed);                         \
        atomic_compare_exchange_strong_explicit(&(line)->word, &value, value + 1,                  \
                                                memory_order_relaxed, memory_order_relaxed);       \
    } while (0)

#include "probes/own.h"
