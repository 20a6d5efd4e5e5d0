/* SPDX-License-Identifier: MIT */
/* The access vector cache under RCU, joined to the loops. */
#include "harness/pause.h"
#include "structures/dwell.h"

#include "locklab/structures/avc_rcu.h"

#define KERNEL avc_rcu
#include "structures/avc.h"

#include LOCKLAB_LOOP
