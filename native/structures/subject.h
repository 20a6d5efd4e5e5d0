/* SPDX-License-Identifier: MIT */
/*
 * Who asks a cache: one thread with its key, its server and its counts. Included after a cache.
 *
 * As in rcutest all threads ask for one key, unless told otherwise; counts of earlier work stay.
 */
#ifndef LOCKLAB_STRUCTURES_SUBJECT_H
#define LOCKLAB_STRUCTURES_SUBJECT_H

#include "harness/harness.h"
#include "structures/security_server.h"

enum subject_option {
    SUBJECT_STORE_USED = 1 << 16, /* as before 2.6.10: every hit stores the mark */
    SUBJECT_OWN_KEY = 1 << 17,    /* each thread asks for a key of its own */
};

#define SUBJECT_SSID 11
#define SUBJECT_TSID 42
#define SUBJECT_TCLASS 6
#define SUBJECT_WRITE (UINT32_C(1) << 10)

struct subject {
    struct locklab_avc_client client;
    struct security_server server;
    struct locklab_avc_key key;
};

/* The mix: `hold` turns for a decision of the server, `option` as above. */
static inline void subject_init(struct subject *subject, const _Atomic(uint32_t) *policy,
                                unsigned thread, const struct locklab_mix *mix)
{
    subject->server = (struct security_server){{security_server_compute}, policy, mix->hold};
    subject->client.server = &subject->server.server;
    subject->client.store_used = (mix->option & SUBJECT_STORE_USED) != 0;
    subject->key = (struct locklab_avc_key){SUBJECT_SSID, SUBJECT_TSID, SUBJECT_TCLASS};
    if (mix->option & SUBJECT_OWN_KEY)
        subject->key.tsid += thread;
}

/* The denied bits of one check. The whole decision is wanted, as the kernel wants it to audit. */
static inline uint32_t subject_check(struct subject *subject, struct locklab_avc *avc,
                                     const struct locklab_avc_key *key)
{
    struct locklab_avc_decision decision;
    uint32_t denied = locklab_avc_has_perm(avc, &subject->client, key, SUBJECT_WRITE, &decision);

    __asm__ volatile("" : : "r"(&decision) : "memory");
    return denied;
}

#endif
