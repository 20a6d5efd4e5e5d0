/* SPDX-License-Identifier: MIT */
/*
 * The new access vector cache: a lock for each slot, entries that are replaced and never changed.
 * Include it through avc_slot.h (checks take the slot's lock too) or avc_rcu.h (checks take none).
 *
 * Mechanism. An insertion allocates its entry; when more than the threshold are there, it first
 * reclaims up to 16. The hand skips slots whose lock is taken (one attempt, no thread waits). An
 * update makes a copy with the new decision, links it in the old one's place and discards
 * the old one. How a check keeps what it looks at from being discarded is what differs.
 *
 * Invariants. Links change only under their slot's lock. What has been taken out of a chain
 * cannot be found again, and is freed when no check can still hold it. `active` counts entries in
 * chains and insertions on their way: it passes the threshold only by those insertions, or
 * while a sweep finds every entry marked or its slot locked.
 *
 * Layout. Heads and locks are two arrays, as in the kernel: slots that are neighbours share a line.
 *
 * Source: Linux 2.6.10, security/selinux/avc.c. The kernel's chains are doubly linked, and its
 * hand takes an entry out at the first visit.
 */
#ifndef LOCKLAB_AVC_SLOTS_H
#define LOCKLAB_AVC_SLOTS_H

#ifndef LOCKLAB_AVC_DISCARD
#error "choose how a check reads: include avc_slot.h or avc_rcu.h"
#endif

#include <stdlib.h>
#include <string.h>

#include "locklab/structures/avc.h"
#include "locklab/ttas.h"

#ifndef LOCKLAB_AVC_RECLAIM
#define LOCKLAB_AVC_RECLAIM 16 /* entries that one reclaim takes out at most */
#endif

struct locklab_avc_entry {
    struct locklab_avc_node node; /* first: an entry is found by its node */
    LOCKLAB_AVC_DISCARDED discarded;
};

struct locklab_avc {
    _Alignas(LOCKLAB_LINE) _Atomic(unsigned) active;
    _Atomic(unsigned) hand;
    _Atomic(uint32_t) latest_seqno;
    _Alignas(LOCKLAB_LINE) struct locklab_avc_chain chains[LOCKLAB_AVC_SLOTS];
    _Alignas(LOCKLAB_LINE) struct locklab_ttas locks[LOCKLAB_AVC_SLOTS];
};

static inline void locklab_avc_remember(struct locklab_avc *avc, struct locklab_avc_client *client,
                                        const struct locklab_avc_key *key,
                                        const struct locklab_avc_decision *decision);
static inline struct locklab_avc_node *
locklab_avc_node_new(const struct locklab_avc_key *key,
                     const struct locklab_avc_decision *decision);
static inline void locklab_avc_replace(const struct locklab_avc_place *old,
                                       struct locklab_avc_node *new);
static inline void locklab_avc_take_out(struct locklab_avc *avc, struct locklab_avc_client *client,
                                        struct locklab_avc_node *node);

/* The last step of a discarded entry: poison it, for a reader that still looks, and free it. */
static inline void locklab_avc_node_free(struct locklab_avc_node *node)
{
    memset(node, 0x6b, sizeof(*node));
    /* A compiler may leave out stores to what is freed next. */
    __asm__ volatile("" : : "r"(node) : "memory");
    free(node);
}

static inline void locklab_avc_init(struct locklab_avc *avc)
{
    atomic_init(&avc->active, 0);
    atomic_init(&avc->hand, 0);
    atomic_init(&avc->latest_seqno, 0);
    for (unsigned i = 0; i < LOCKLAB_AVC_SLOTS; i++) {
        atomic_init(&avc->chains[i].first, NULL);
        locklab_ttas_init(&avc->locks[i]);
    }
}

/* No thread may be at work any more; what was discarded is freed when this returns. */
static inline void locklab_avc_destroy(struct locklab_avc *avc)
{
    LOCKLAB_AVC_WAIT_FOR_DISCARDS();
    for (unsigned i = 0; i < LOCKLAB_AVC_SLOTS; i++) {
        struct locklab_avc_node *node;

        while ((node = locklab_avc_next(&avc->chains[i].first)) != NULL) {
            locklab_avc_link(&avc->chains[i].first, locklab_avc_next(&node->next));
            locklab_avc_node_free(node);
        }
    }
}

/* The denied bits of `requested`, 0: granted; and the decision that says so. */
static inline uint32_t locklab_avc_has_perm(struct locklab_avc *avc,
                                            struct locklab_avc_client *client,
                                            const struct locklab_avc_key *key, uint32_t requested,
                                            struct locklab_avc_decision *decision)
{
    unsigned slot = locklab_avc_slot_of(key);
    bool found;

    LOCKLAB_AVC_READ_ACQUIRE(&avc->locks[slot]);
    found = locklab_avc_lookup(client, &avc->chains[slot], key, requested, decision);
    LOCKLAB_AVC_READ_RELEASE(&avc->locks[slot]);
    if (!found) {
        client->server->compute(client->server, key, decision);
        locklab_avc_remember(avc, client, key, decision);
    }
    return requested & ~decision->allowed;
}

/* Grants further bits; false when there is no entry to change, or no memory for the new one. */
static inline bool locklab_avc_update(struct locklab_avc *avc, struct locklab_avc_client *client,
                                      const struct locklab_avc_key *key, uint32_t granted)
{
    unsigned slot = locklab_avc_slot_of(key);
    struct locklab_avc_node *new = NULL;
    struct locklab_avc_place old;

    locklab_ttas_acquire(&avc->locks[slot]);
    locklab_avc_search(&avc->chains[slot], key, &old);
    if (old.node != NULL)
        new = locklab_avc_node_new(key, &old.node->decision);
    if (new != NULL) {
        new->decision.allowed |= granted;
        locklab_avc_replace(&old, new);
        client->allocations++;
        client->frees++;
    }
    locklab_ttas_release(&avc->locks[slot]);
    return new != NULL;
}

/* A new policy: forgets everything, and refuses decisions of older ones from now on. */
static inline void locklab_avc_reset(struct locklab_avc *avc, struct locklab_avc_client *client,
                                     uint32_t seqno)
{
    uint32_t latest = atomic_load_explicit(&avc->latest_seqno, memory_order_relaxed);

    while (seqno > latest &&
           !atomic_compare_exchange_weak_explicit(&avc->latest_seqno, &latest, seqno,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
    for (unsigned i = 0; i < LOCKLAB_AVC_SLOTS; i++) {
        struct locklab_avc_node *node;

        locklab_ttas_acquire(&avc->locks[i]);
        while ((node = locklab_avc_next(&avc->chains[i].first)) != NULL) {
            locklab_avc_link(&avc->chains[i].first, locklab_avc_next(&node->next));
            locklab_avc_take_out(avc, client, node);
        }
        locklab_ttas_release(&avc->locks[i]);
    }
}

/* Entries, as the cache itself counts them. */
static inline size_t locklab_avc_active(const struct locklab_avc *avc)
{
    return atomic_load_explicit(&avc->active, memory_order_relaxed);
}

static inline struct locklab_avc_node *
locklab_avc_node_new(const struct locklab_avc_key *key, const struct locklab_avc_decision *decision)
{
    size_t size = (sizeof(struct locklab_avc_entry) + LOCKLAB_LINE - 1) & -(size_t)LOCKLAB_LINE;
    struct locklab_avc_node *node = aligned_alloc(LOCKLAB_LINE, size);

    if (node != NULL) {
        node->key = *key;
        node->decision = *decision;
        atomic_init(&node->used, 1);
        atomic_init(&node->next, NULL);
    }
    return node;
}

/* Under the slot's lock. Who stands at the old entry still finds its way on. */
static inline void locklab_avc_replace(const struct locklab_avc_place *old,
                                       struct locklab_avc_node *new)
{
    locklab_avc_link(&new->next, locklab_avc_next(&old->node->next));
    locklab_avc_link(old->link, new);
    LOCKLAB_AVC_DISCARD((struct locklab_avc_entry *)old->node);
}

/* Under the slot's lock, when no link leads to the entry any more. */
static inline void locklab_avc_take_out(struct locklab_avc *avc, struct locklab_avc_client *client,
                                        struct locklab_avc_node *node)
{
    atomic_fetch_sub_explicit(&avc->active, 1, memory_order_relaxed);
    client->frees++;
    LOCKLAB_AVC_DISCARD((struct locklab_avc_entry *)node);
}

static inline unsigned locklab_avc_reclaim_slot(struct locklab_avc *avc,
                                                struct locklab_avc_client *client, unsigned slot,
                                                unsigned wanted)
{
    _Atomic(struct locklab_avc_node *) *link = &avc->chains[slot].first;
    struct locklab_avc_node *node;
    unsigned taken = 0;

    while (taken < wanted && (node = locklab_avc_next(link)) != NULL) {
        if (locklab_avc_unlink_unused(link, node)) {
            locklab_avc_take_out(avc, client, node);
            taken++;
        } else {
            link = &node->next;
        }
    }
    return taken;
}

/* Twice round at most: the first visit may only take marks away. */
static inline void locklab_avc_reclaim(struct locklab_avc *avc, struct locklab_avc_client *client)
{
    unsigned wanted = LOCKLAB_AVC_RECLAIM;

    for (unsigned i = 0; i < 2 * LOCKLAB_AVC_SLOTS && wanted > 0; i++) {
        unsigned slot =
            atomic_fetch_add_explicit(&avc->hand, 1, memory_order_relaxed) % LOCKLAB_AVC_SLOTS;

        if (!locklab_ttas_take(&avc->locks[slot]))
            continue;
        wanted -= locklab_avc_reclaim_slot(avc, client, slot, wanted);
        locklab_ttas_release(&avc->locks[slot]);
    }
}

static inline void locklab_avc_remember(struct locklab_avc *avc, struct locklab_avc_client *client,
                                        const struct locklab_avc_key *key,
                                        const struct locklab_avc_decision *decision)
{
    struct locklab_avc_node *new = locklab_avc_node_new(key, decision);
    struct locklab_avc_chain *chain = &avc->chains[locklab_avc_slot_of(key)];
    struct locklab_ttas *lock = &avc->locks[locklab_avc_slot_of(key)];
    struct locklab_avc_place old = {0};
    bool current;

    if (new == NULL)
        return;
    if (atomic_fetch_add_explicit(&avc->active, 1, memory_order_relaxed) >= LOCKLAB_AVC_NODES)
        locklab_avc_reclaim(avc, client);
    locklab_ttas_acquire(lock);
    current = decision->seqno >= atomic_load_explicit(&avc->latest_seqno, memory_order_relaxed);
    if (current) {
        client->allocations++;
        locklab_avc_search(chain, key, &old);
        if (old.node != NULL) {
            /* Another thread missed the same key: one entry is enough. */
            locklab_avc_replace(&old, new);
            client->frees++;
        } else {
            locklab_avc_link(&new->next, locklab_avc_next(&chain->first));
            locklab_avc_link(&chain->first, new);
        }
    }
    locklab_ttas_release(lock);
    if (old.node != NULL || !current)
        atomic_fetch_sub_explicit(&avc->active, 1, memory_order_relaxed);
    if (!current)
        locklab_avc_node_free(new);
}

#endif
