/* SPDX-License-Identifier: MIT */
/* References to directory entries counted under a spinlock, joined to the loops. */
#include "harness/pause.h"
#include "structures/dwell.h"

#include "locklab/structures/dcache_seqwriter.h"

#define KERNEL dcount_spinlock
#include "structures/dcount.h"

#include LOCKLAB_LOOP
