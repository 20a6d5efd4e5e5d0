/* SPDX-License-Identifier: MIT */
/*
 * No access check at all: what the kernel does with SELinux disabled. The baseline of kaigai-2004.
 *
 * Everything is granted, and nothing is remembered, asked or counted.
 */
#ifndef LOCKLAB_AVC_NONE_H
#define LOCKLAB_AVC_NONE_H

#include "locklab/structures/avc.h"

struct locklab_avc {
    char nothing;
};

static inline void locklab_avc_init(struct locklab_avc *avc)
{
    avc->nothing = 0;
}

static inline void locklab_avc_destroy(struct locklab_avc *avc)
{
    (void)avc;
}

static inline bool locklab_avc_enter_thread(void)
{
    return true;
}

static inline void locklab_avc_leave_thread(void)
{
}

static inline uint32_t locklab_avc_has_perm(struct locklab_avc *avc,
                                            struct locklab_avc_client *client,
                                            const struct locklab_avc_key *key, uint32_t requested,
                                            struct locklab_avc_decision *decision)
{
    (void)avc, (void)client, (void)key, (void)requested, (void)decision;
    return 0;
}

#endif
