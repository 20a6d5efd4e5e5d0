/* SPDX-License-Identifier: MIT */
/* The pause instruction of a waiting loop. */
#define PROBE own_pause
#define TURN(line, value) locklab_pause()

#include "probes/own.h"
