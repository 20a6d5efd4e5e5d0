/* SPDX-License-Identifier: MIT */
/* The access vector cache under a reader-writer lock, joined to the loops. */
#include "harness/pause.h"
#include "structures/dwell.h"

#include "locklab/structures/avc_rwlock.h"

#define KERNEL avc_rwlock
#include "structures/avc.h"

#include LOCKLAB_LOOP
