/* SPDX-License-Identifier: MIT */
/* The MCS lock, joined to the harness; a thread's node stays its own. */
#include "harness/pause.h"
#include "locklab/mcs.h"

#define KERNEL mcs
#define LOCK struct locklab_mcs
#define NODE struct locklab_mcs_node
#define INIT(lock) locklab_mcs_init(lock)
#define ACQUIRE(lock, node) locklab_mcs_acquire(lock, node)
#define RELEASE(lock, node) locklab_mcs_release(lock, node)

#include LOCKLAB_LOOP
