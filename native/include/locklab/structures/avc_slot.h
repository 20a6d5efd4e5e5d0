/* SPDX-License-Identifier: MIT */
/*
 * The new access vector cache with checks that take the slot's lock: what finer locks alone would
 * have given. No kernel did this.
 *
 * Cost. Checks of different slots do not meet, but for locks that share a line. Checks of one
 * key, which is what the benchmark of kaigai-2004 makes, meet as they do under one lock.
 *
 * Source: the design of Linux 2.6.10 (avc_slots.h), its read side taken away.
 */
#ifndef LOCKLAB_AVC_SLOT_H
#define LOCKLAB_AVC_SLOT_H

#include "locklab/ttas.h"

#define LOCKLAB_AVC_READ_ACQUIRE(lock) locklab_ttas_acquire(lock)
#define LOCKLAB_AVC_READ_RELEASE(lock) locklab_ttas_release(lock)

/* A check holds the lock as well: what is out of the chain belongs to no one else. */
#define LOCKLAB_AVC_DISCARDED char
#define LOCKLAB_AVC_DISCARD(entry) locklab_avc_node_free(&(entry)->node)
#define LOCKLAB_AVC_WAIT_FOR_DISCARDS() ((void)0)

#include "locklab/structures/avc_slots.h"

/* What a thread does before its first and after its last check. */
static inline bool locklab_avc_enter_thread(void)
{
    return true;
}

static inline void locklab_avc_leave_thread(void)
{
}

#endif
