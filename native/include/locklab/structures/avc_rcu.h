/* SPDX-License-Identifier: MIT */
/*
 * The access vector cache under RCU: a check reads, and writes nothing that others read.
 *
 * Mechanism. Checks are read-side sections of liburcu (flavour memb); discarded entries go to
 * call_rcu, whose helper thread frees them after a grace period.
 *
 * Cost. A hit moves no line, if the mark is stored only where it is missing. Stored on every hit,
 * it makes the entry's line bounce as under a lock.
 *
 * A thread registers before its first check. One that ends without leaving, because its run was
 * given up, is taken off liburcu's list when it ends: the list would point into its stack. A child
 * of fork() has no helper thread; it may check, but not discard, until it executes a program.
 *
 * Licence. liburcu's inline read side asks for compatible code; this file's licence is.
 *
 * Source: KaiGai Kohei's RCU patch; Linux 2.6.10, security/selinux/avc.c.
 */
#ifndef LOCKLAB_AVC_RCU_H
#define LOCKLAB_AVC_RCU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define _LGPL_SOURCE /* inline: calls into the library cost several times more */
#include <urcu/urcu-memb.h>

#define LOCKLAB_AVC_READ_ACQUIRE(lock) ((void)(lock), urcu_memb_read_lock())
#define LOCKLAB_AVC_READ_RELEASE(lock) ((void)(lock), urcu_memb_read_unlock())
#define LOCKLAB_AVC_DISCARDED struct rcu_head
#define LOCKLAB_AVC_DISCARD(entry)                                                                 \
    urcu_memb_call_rcu(&(entry)->discarded, locklab_avc_discarded_free)
#define LOCKLAB_AVC_WAIT_FOR_DISCARDS() urcu_memb_barrier()

static inline void locklab_avc_discarded_free(struct rcu_head *head);

#include "locklab/structures/avc_slots.h"

_Static_assert(LOCKLAB_LINE < 64 || sizeof(struct locklab_avc_entry) <= LOCKLAB_LINE,
               "an entry is one line");

static inline void locklab_avc_discarded_free(struct rcu_head *head)
{
    char *entry = (char *)head - offsetof(struct locklab_avc_entry, discarded);

    locklab_avc_node_free((struct locklab_avc_node *)entry);
}

static pthread_once_t locklab_avc_once = PTHREAD_ONCE_INIT;
static pthread_key_t locklab_avc_registered;
static bool locklab_avc_has_key;

static inline void locklab_avc_unregister(void *registered)
{
    (void)registered;
    urcu_memb_unregister_thread();
}

static inline void locklab_avc_first_thread(void)
{
    locklab_avc_has_key = pthread_key_create(&locklab_avc_registered, locklab_avc_unregister) == 0;
}

/* What a thread does before its first and after its last check. False: no thread-specific key or no
 * memory is left, and the thread must not check. */
static inline bool locklab_avc_enter_thread(void)
{
    pthread_once(&locklab_avc_once, locklab_avc_first_thread);
    if (!locklab_avc_has_key ||
        pthread_setspecific(locklab_avc_registered, &locklab_avc_registered) != 0)
        return false;
    urcu_memb_register_thread();
    return true;
}

static inline void locklab_avc_leave_thread(void)
{
    pthread_setspecific(locklab_avc_registered, NULL);
    urcu_memb_unregister_thread();
}

#endif
