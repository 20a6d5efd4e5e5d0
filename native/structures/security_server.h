/* SPDX-License-Identifier: MIT */
/*
 * A security server whose decisions can be checked.
 *
 * It works for a given number of turns; the decision is then a formula of the key and of the
 * policy's number. Each word follows from the key and the number alone, so an answer that mixes two
 * entries, or two policies, or was read from freed memory, is recognised. The low 8 bits of
 * `allowed` are left to later grants.
 */
#ifndef LOCKLAB_STRUCTURES_SECURITY_SERVER_H
#define LOCKLAB_STRUCTURES_SECURITY_SERVER_H

#include "harness/harness.h"
#include "locklab/structures/avc.h"

#define GRANTABLE UINT32_C(0xff)
#define ALL_BITS UINT32_C(0xffffffff)

struct security_server {
    struct locklab_avc_server server; /* first: found by it */
    const _Atomic(uint32_t) *policy;
    uint32_t turns; /* of locklab_spend() for a decision */
};

static inline uint32_t mixed(const struct locklab_avc_key *key, uint32_t seqno)
{
    uint64_t word = (uint64_t)key->ssid << 32 | key->tsid;

    word = (word ^ (uint64_t)key->tclass << 16) * UINT64_C(0x9e3779b97f4a7c15);
    word = ((word >> 32) ^ word ^ seqno) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(word >> 32);
}

/* All bits that cannot be granted later but one, which depends on the key and is a high one. */
static inline uint32_t policy_allows(const struct locklab_avc_key *key, uint32_t seqno)
{
    return ALL_BITS & ~GRANTABLE & ~(1u << (16 + mixed(key, seqno) % 16));
}

static inline void security_server_compute(const struct locklab_avc_server *arg,
                                           const struct locklab_avc_key *key,
                                           struct locklab_avc_decision *decision)
{
    const struct security_server *server = (const struct security_server *)arg;
    uint32_t seqno = atomic_load_explicit(server->policy, memory_order_acquire);

    LOCKLAB_DWELL();
    locklab_spend(server->turns);
    *decision = (struct locklab_avc_decision){
        .allowed = policy_allows(key, seqno),
        .decided = ALL_BITS,
        .auditallow = mixed(key, seqno),
        .auditdeny = ~mixed(key, seqno),
        .seqno = seqno,
    };
}

/* Whether this is a decision of the server for this key, further grants aside. */
static inline bool decision_is_right(const struct locklab_avc_key *key,
                                     const struct locklab_avc_decision *decision)
{
    return (decision->allowed & ~GRANTABLE) == policy_allows(key, decision->seqno) &&
           decision->decided == ALL_BITS && decision->auditallow == mixed(key, decision->seqno) &&
           decision->auditdeny == ~decision->auditallow;
}

#endif
