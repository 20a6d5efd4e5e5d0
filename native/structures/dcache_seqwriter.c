/* SPDX-License-Identifier: MIT */
/* Paths read under rename_lock as a writer (d_path until 2013), joined to the loops. */
#include "harness/pause.h"
#include "structures/dwell.h"

#include "locklab/structures/dcache_seqwriter.h"

#define KERNEL dcache_seqwriter
#include "structures/dcache.h"

#include LOCKLAB_LOOP
