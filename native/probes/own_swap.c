/* SPDX-License-Identifier: MIT */
/* A sequentially consistent store to an own line; x86 makes an exchange of it. */
#define PROBE own_swap
#define TURN(line, value) atomic_store_explicit(&(line)->word, value, memory_order_seq_cst)

#include "probes/own.h"
