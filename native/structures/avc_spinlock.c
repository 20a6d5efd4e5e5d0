/* SPDX-License-Identifier: MIT */
/* The access vector cache of Linux 2.6.8, joined to the loops. */
#include "harness/pause.h"
#include "structures/dwell.h"

#include "locklab/structures/avc_spinlock.h"

#define KERNEL avc_spinlock
#include "structures/avc.h"

#include LOCKLAB_LOOP
