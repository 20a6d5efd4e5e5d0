/* SPDX-License-Identifier: MIT */
/* A plain store to a line of its own: how fast the store buffer takes and drains them. */
#define PROBE own_store
#define TURN(line, value) atomic_store_explicit(&(line)->word, value, memory_order_relaxed)

#include "probes/own.h"
