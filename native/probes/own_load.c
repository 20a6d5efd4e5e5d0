/* SPDX-License-Identifier: MIT */
/* A load of a line of its own, whose address is known beforehand: the cost of a spinner's or reader's
 * load when only a predicted branch depends on it. `chase` has loads that give an address. */
#define PROBE own_load
#define TURN(line, value) (value += atomic_load_explicit(&(line)->word, memory_order_relaxed))

#include "probes/own.h"
