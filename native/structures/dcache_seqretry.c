/* SPDX-License-Identifier: MIT */
/* Paths read under rename_lock optimistically, then under the lock, joined to the loops. */
#include "harness/pause.h"
#include "structures/dwell.h"

#include "locklab/structures/dcache_seqretry.h"

#define KERNEL dcache_seqretry
#include "structures/dcache.h"

#include LOCKLAB_LOOP
