/* SPDX-License-Identifier: MIT */
/* Paths read under rename_lock as a blocking reader, joined to the loops. */
#include "harness/pause.h"
#include "structures/dwell.h"

#include "locklab/structures/dcache_seqrwlock.h"

#define KERNEL dcache_seqrwlock
#include "structures/dcache.h"

#include LOCKLAB_LOOP
