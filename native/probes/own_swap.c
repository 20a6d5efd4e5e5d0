/* SPDX-License-Identifier: MIT */
/* A sequentially consistent store to a line of its own; x86 uses an exchange for it. */
#define PROBE own_swap
#define TURN(line, value) atomic_store_explicit(&(line)->word, value, memory_order_seq_cst)

#include "probes/own.h"
