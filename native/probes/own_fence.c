/* SPDX-License-Identifier: MIT */
/* A full fence with nothing to wait for. */
#define PROBE own_fence
#define TURN(line, value) atomic_thread_fence(memory_order_seq_cst)

#include "probes/own.h"
