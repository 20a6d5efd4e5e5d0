/* SPDX-License-Identifier: MIT */
/* One iteration of locklab_spend(), the unit of hold and think times. */
#define PROBE own_spend
#define OWN_WEIGHT 1024
#define TURN(line, value) locklab_spend(OWN_WEIGHT)

#include "probes/own.h"
