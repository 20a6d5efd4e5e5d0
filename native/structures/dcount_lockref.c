/* SPDX-License-Identifier: MIT */
/* References to directory entries counted by lockref, joined to the loops. */
#include "harness/pause.h"
#include "structures/dwell.h"

#include "locklab/structures/dcache_seqretry.h"

#define KERNEL dcount_lockref
#include "structures/dcount.h"

#include LOCKLAB_LOOP
