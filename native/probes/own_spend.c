/* SPDX-License-Identifier: MIT */
/* One turn of locklab_spend(), the unit in which loops hold a lock and think. */
#define PROBE own_spend
#define OWN_WEIGHT 1024
#define TURN(line, value) locklab_spend(OWN_WEIGHT)

#include "probes/own.h"
