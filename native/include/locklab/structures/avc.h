/* SPDX-License-Identifier: MIT */
/*
 * Access vector cache: what its two designs share. Take it through avc_spinlock.h, avc_rwlock.h,
 * avc_slot.h, avc_rcu.h or avc_none.h, which all have the same functions.
 *
 * What it remembers. A decision of SELinux's security server: may a subject of type `ssid` do
 * `requested` (a set of bits) to an object of type `tsid` and class `tclass`? A decision is five
 * words, and a check copies all five before it lets the entry go, as the kernel does.
 *
 * Mechanism. 512 hash slots with a chain each. A check searches one chain; a hit marks the entry
 * as used. A miss asks the server, outside every lock, and then inserts. A hand that goes round
 * the slots reclaims: an entry with the mark loses it, an entry without is taken out.
 *
 * Invariants. A link is stored (release) only when the entry behind it is complete, and read with
 * acquire, so that a search needs no more than that nothing it meets is freed or refilled. Only
 * `used` changes in an entry that readers can see at the time; all of them store 1, so any
 * order of these stores is right. An entry helps only if the server has judged every bit that is
 * asked for. A cache that cannot remember a decision still answers with it.
 *
 * The policy's number only grows. A reset raises it first and empties the slots then; an insertion
 * compares numbers under the lock of the slot. So a decision of an older policy is either in the
 * slot before the reset empties it, or is refused. (Linux compares before it takes the lock.)
 *
 * What it is not. There is no auditing, no callback, no switch to permissive mode.
 *
 * Source: Linux 2.6.8 and 2.6.10, security/selinux/avc.c: sizes, hash, the two designs.
 */
#ifndef LOCKLAB_AVC_H
#define LOCKLAB_AVC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locklab/arch.h"
#include "locklab/structures/dwell.h"

#ifndef LOCKLAB_AVC_SLOTS
#define LOCKLAB_AVC_SLOTS 512 /* a power of two */
#endif
#ifndef LOCKLAB_AVC_NODES
#define LOCKLAB_AVC_NODES 410 /* the pool's size, or where reclaiming begins */
#endif

struct locklab_avc_key {
    uint32_t ssid;
    uint32_t tsid;
    uint32_t tclass;
};

struct locklab_avc_decision {
    uint32_t allowed;
    uint32_t decided; /* the bits that the server has judged */
    uint32_t auditallow;
    uint32_t auditdeny;
    uint32_t seqno; /* of the policy that the decision follows */
};

/* With what a design adds for freeing it later, 64 bytes: one line. */
struct locklab_avc_node {
    struct locklab_avc_key key;
    struct locklab_avc_decision decision;
    _Atomic(uint32_t) used;
    _Atomic(struct locklab_avc_node *) next;
};

struct locklab_avc_chain {
    _Atomic(struct locklab_avc_node *) first;
};

/* The security server. A user puts this into a struct of its own, with what `compute` needs. */
struct locklab_avc_server {
    void (*compute)(const struct locklab_avc_server *server, const struct locklab_avc_key *key,
                    struct locklab_avc_decision *decision);
};

/* One thread's side of the cache; the counts are its own, as the kernel's are each CPU's. */
struct locklab_avc_client {
    const struct locklab_avc_server *server;
    bool store_used; /* store the mark on every hit (before 2.6.10), not only where it is missing */
    uint64_t lookups;     /* checks */
    uint64_t misses;      /* checks that the server had to answer */
    uint64_t allocations; /* entries put into chains */
    uint64_t frees;       /* entries taken out */
};

static inline unsigned locklab_avc_slot_of(const struct locklab_avc_key *key)
{
    return (key->ssid ^ (key->tsid << 2) ^ (key->tclass << 4)) & (LOCKLAB_AVC_SLOTS - 1);
}

static inline struct locklab_avc_node *
locklab_avc_next(const _Atomic(struct locklab_avc_node *) *link)
{
    return atomic_load_explicit(link, memory_order_acquire);
}

static inline void locklab_avc_link(_Atomic(struct locklab_avc_node *) *link,
                                    struct locklab_avc_node *node)
{
    atomic_store_explicit(link, node, memory_order_release);
}

/* A place in a chain: an entry, or NULL at the end, and the link that led there when it was read.
 * Without a lock that link may lead elsewhere a moment later: readers look at the entry alone. */
struct locklab_avc_place {
    _Atomic(struct locklab_avc_node *) *link;
    struct locklab_avc_node *node;
};

/* Where the key's entry is, or the chain's end. */
static inline void locklab_avc_search(struct locklab_avc_chain *chain,
                                      const struct locklab_avc_key *key,
                                      struct locklab_avc_place *place)
{
    place->link = &chain->first;
    place->node = locklab_avc_next(&chain->first);
    while (place->node != NULL &&
           !(place->node->key.ssid == key->ssid && place->node->key.tclass == key->tclass &&
             place->node->key.tsid == key->tsid)) {
        place->link = &place->node->next;
        place->node = locklab_avc_next(place->link);
    }
}

/* The key's entry, or NULL. */
static inline struct locklab_avc_node *locklab_avc_find(struct locklab_avc_chain *chain,
                                                        const struct locklab_avc_key *key)
{
    struct locklab_avc_place place;

    locklab_avc_search(chain, key, &place);
    return place.node;
}

/* Searches, marks and copies; false when no entry answers all of `requested`. */
static inline bool locklab_avc_lookup(struct locklab_avc_client *client,
                                      struct locklab_avc_chain *chain,
                                      const struct locklab_avc_key *key, uint32_t requested,
                                      struct locklab_avc_decision *decision)
{
    struct locklab_avc_node *node = locklab_avc_find(chain, key);

    client->lookups++;
    if (node == NULL || (requested & ~node->decision.decided) != 0) {
        client->misses++;
        return false;
    }
    LOCKLAB_DWELL();
    if (client->store_used || atomic_load_explicit(&node->used, memory_order_relaxed) != 1)
        atomic_store_explicit(&node->used, 1, memory_order_relaxed);
    *decision = node->decision;
    return true;
}

/* The second chance: true, and out of the chain, if the entry was not marked since the hand's last
 * visit. Links other than this one are not touched: a reader at the entry can go on. */
static inline bool locklab_avc_unlink_unused(_Atomic(struct locklab_avc_node *) *link,
                                             struct locklab_avc_node *node)
{
    if (atomic_load_explicit(&node->used, memory_order_relaxed) != 0) {
        atomic_store_explicit(&node->used, 0, memory_order_relaxed);
        return false;
    }
    locklab_avc_link(link, locklab_avc_next(&node->next));
    return true;
}

/* The entries that can be found, when no other thread is at work; SIZE_MAX if one hangs in a slot
 * that is not its own or stands there twice. */
static inline size_t locklab_avc_count(struct locklab_avc_chain *chains)
{
    size_t count = 0;

    for (unsigned slot = 0; slot < LOCKLAB_AVC_SLOTS; slot++) {
        struct locklab_avc_node *node = locklab_avc_next(&chains[slot].first);

        for (; node != NULL; node = locklab_avc_next(&node->next)) {
            if (locklab_avc_slot_of(&node->key) != slot ||
                locklab_avc_find(&chains[slot], &node->key) != node)
                return SIZE_MAX;
            count++;
        }
    }
    return count;
}

#endif
