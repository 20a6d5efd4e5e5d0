/* SPDX-License-Identifier: MIT */
/* A load of an own line whose address is known beforehand: what a spinner's or a reader's load costs
 * where nothing waits for it but a guess. `chase` reads what a load costs that gives an address. */
#define PROBE own_load
#define TURN(line, value) (value += atomic_load_explicit(&(line)->word, memory_order_relaxed))

#include "probes/own.h"
