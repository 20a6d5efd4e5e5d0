/* SPDX-License-Identifier: MIT */
/* The hint of a waiting loop. */
#define PROBE own_pause
#define TURN(line, value) locklab_pause()

#include "probes/own.h"
