/* SPDX-License-Identifier: MIT */
/* The access vector cache with a lock a slot, joined to the loops. */
#include "harness/pause.h"
#include "structures/dwell.h"

#include "locklab/structures/avc_slot.h"

#define KERNEL avc_slot
#include "structures/avc.h"

#include LOCKLAB_LOOP
