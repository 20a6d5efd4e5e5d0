/* SPDX-License-Identifier: MIT */
/*
 * A fork whose child may go on using this flavour: liburcu's hooks, in their order, behind checks.
 *
 * The child has only the thread that forked. So no other thread may stand on liburcu's lists, wait
 * for a grace period or hold one of its locks: that is asked first, and the GIL is held from there
 * to the end. liburcu's own threads stop for the fork and start again, in the child anew. Callbacks
 * that wait are called in both processes, each with its own copy of the objects; one that runs at
 * that moment goes on in the parent only. Workers (workers.h) are the parent's alone.
 */
#ifndef LOCKLAB_URCU_FORKING_H
#define LOCKLAB_URCU_FORKING_H

#include "urcu/checked.h"

/* Any answer but LOCKLAB_URCU_OK: nothing was prepared, fork is not to be called. */
enum locklab_urcu_status locklab_urcu_before_fork(void);

/* One of them, after the fork, or when it failed. */
void locklab_urcu_after_fork_parent(void);
void locklab_urcu_after_fork_child(void);

#endif
