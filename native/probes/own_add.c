/* SPDX-License-Identifier: MIT */
/* An atomic read-modify-write of a line of its own, each waiting for the previous one. */
#define PROBE own_add
#define TURN(line, value) (value = atomic_fetch_add_explicit(&(line)->word, value & 1, memory_order_relaxed))

#include "probes/own.h"
