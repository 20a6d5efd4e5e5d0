/* SPDX-License-Identifier: MIT */
/*
 * A reference monitor for workloads: a cache, its policy, and one subject for each thread.
 *
 * In a kernel the check is made inside the system call; here the program makes it just before, in
 * user space. It is made in a row as often as the kernel would make it in that call: workloads say
 * how often they assume that to be. Included after AVC has been defined: which cache it is.
 */
#ifndef LOCKLAB_WORKLOADS_MONITOR_H
#define LOCKLAB_WORKLOADS_MONITOR_H

#include <stdlib.h>

#include AVC

#include "structures/subject.h"

struct monitor {
    struct locklab_avc avc;
    _Alignas(LOCKLAB_PAD) _Atomic(uint32_t) policy;
};

static inline void monitor_init(struct monitor *monitor)
{
    locklab_avc_init(&monitor->avc);
    atomic_init(&monitor->policy, 1);
}

static inline void monitor_destroy(struct monitor *monitor)
{
    locklab_avc_destroy(&monitor->avc);
}

/* What a thread does before its first and after its last check. */
static inline void monitor_enter(struct monitor *monitor, struct subject *subject, unsigned thread,
                                 const struct locklab_mix *mix)
{
    *subject = (struct subject){0};
    subject_init(subject, &monitor->policy, thread, mix);
    if (!locklab_avc_enter_thread())
        abort(); /* no memory, in the middle of a run */
}

static inline void monitor_leave(void)
{
    locklab_avc_leave_thread();
}

/* True if each of `checks` checks in a row grants. */
static inline bool monitor_grants(struct monitor *monitor, struct subject *subject, unsigned checks)
{
    uint32_t denied = 0;

    for (unsigned i = 0; i < checks; i++)
        denied |= subject_check(subject, &monitor->avc, &subject->key);
    return denied == 0;
}

#endif
