/* SPDX-License-Identifier: MIT */
/* A plain store to an own line: how fast the store buffer takes and drains them. */
#define PROBE own_store
#define TURN(line, value) atomic_store_explicit(&(line)->word, value, memory_order_relaxed)

#include "probes/own.h"
