/* SPDX-License-Identifier: MIT */
/*
 * The old access vector cache: a pool of nodes under one lock. Include it through avc_spinlock.h or
 * avc_rwlock.h, which say what the lock is.
 *
 * Mechanism. All nodes exist from the start, on a free list. A check holds the lock for reading
 * over the search and the copy of the decision; a miss drops it round the server's computation
 * and takes it for writing to insert. An insertion without a free node reclaims exactly one.
 * Entries are filled and updated in place.
 *
 * Invariant. A node is on the free list or on exactly one chain, and everything but its mark
 * changes only under the lock held for writing. (2.6.8 puts a second node into the chain when two
 * CPUs miss the same key at once; here the second insertion refills the first one's node.)
 *
 * What it is not. It is not scalable: every check writes the line of the one lock.
 *
 * Source: Linux 2.6.8, security/selinux/avc.c.
 */
#ifndef LOCKLAB_AVC_POOL_H
#define LOCKLAB_AVC_POOL_H

#ifndef LOCKLAB_AVC_LOCK
#error "choose how the pool is locked: include avc_spinlock.h or avc_rwlock.h"
#endif

#include "locklab/structures/avc.h"

struct locklab_avc_pooled {
    _Alignas(LOCKLAB_LINE) struct locklab_avc_node node;
};

struct locklab_avc {
    _Alignas(LOCKLAB_LINE) LOCKLAB_AVC_LOCK lock;
    _Alignas(LOCKLAB_LINE) struct locklab_avc_node *free_list;
    unsigned hand;
    uint32_t latest_seqno;
    _Atomic(unsigned) active; /* nodes on chains */
    struct locklab_avc_chain chains[LOCKLAB_AVC_SLOTS];
    struct locklab_avc_pooled nodes[LOCKLAB_AVC_NODES];
};

static inline void locklab_avc_give_back(struct locklab_avc *avc, struct locklab_avc_node *node);
static inline void locklab_avc_remember(struct locklab_avc *avc, struct locklab_avc_client *client,
                                        const struct locklab_avc_key *key,
                                        const struct locklab_avc_decision *decision);

static inline void locklab_avc_init(struct locklab_avc *avc)
{
    LOCKLAB_AVC_LOCK_INIT(&avc->lock);
    avc->free_list = NULL;
    avc->hand = 0;
    avc->latest_seqno = 0;
    atomic_init(&avc->active, LOCKLAB_AVC_NODES);
    for (unsigned i = 0; i < LOCKLAB_AVC_SLOTS; i++)
        atomic_init(&avc->chains[i].first, NULL);
    for (unsigned i = 0; i < LOCKLAB_AVC_NODES; i++)
        locklab_avc_give_back(avc, &avc->nodes[i].node);
}

static inline void locklab_avc_destroy(struct locklab_avc *avc)
{
    (void)avc;
}

/* What a thread does before its first and after its last check. */
static inline bool locklab_avc_enter_thread(void)
{
    return true;
}

static inline void locklab_avc_leave_thread(void)
{
}

/* The denied bits of `requested`, 0: granted; and the decision that says so. */
static inline uint32_t locklab_avc_has_perm(struct locklab_avc *avc,
                                            struct locklab_avc_client *client,
                                            const struct locklab_avc_key *key, uint32_t requested,
                                            struct locklab_avc_decision *decision)
{
    bool found;

    LOCKLAB_AVC_READ_ACQUIRE(&avc->lock);
    found = locklab_avc_lookup(client, &avc->chains[locklab_avc_slot_of(key)], key, requested,
                               decision);
    LOCKLAB_AVC_READ_RELEASE(&avc->lock);
    if (!found) {
        client->server->compute(client->server, key, decision);
        locklab_avc_remember(avc, client, key, decision);
    }
    return requested & ~decision->allowed;
}

/* Grants further bits; false when there is no entry to change. */
static inline bool locklab_avc_update(struct locklab_avc *avc, struct locklab_avc_client *client,
                                      const struct locklab_avc_key *key, uint32_t granted)
{
    struct locklab_avc_chain *chain = &avc->chains[locklab_avc_slot_of(key)];
    struct locklab_avc_node *node;

    (void)client;
    LOCKLAB_AVC_WRITE_ACQUIRE(&avc->lock);
    node = locklab_avc_find(chain, key);
    if (node != NULL)
        node->decision.allowed |= granted;
    LOCKLAB_AVC_WRITE_RELEASE(&avc->lock);
    return node != NULL;
}

/* A new policy: forgets everything, and refuses decisions of older ones from now on. */
static inline void locklab_avc_reset(struct locklab_avc *avc, struct locklab_avc_client *client,
                                     uint32_t seqno)
{
    LOCKLAB_AVC_WRITE_ACQUIRE(&avc->lock);
    if (seqno > avc->latest_seqno)
        avc->latest_seqno = seqno;
    for (unsigned i = 0; i < LOCKLAB_AVC_SLOTS; i++) {
        struct locklab_avc_node *node;

        while ((node = locklab_avc_next(&avc->chains[i].first)) != NULL) {
            locklab_avc_link(&avc->chains[i].first, locklab_avc_next(&node->next));
            locklab_avc_give_back(avc, node);
            client->frees++;
        }
    }
    LOCKLAB_AVC_WRITE_RELEASE(&avc->lock);
}

/* Entries, as the cache itself counts them. */
static inline size_t locklab_avc_active(const struct locklab_avc *avc)
{
    return atomic_load_explicit(&avc->active, memory_order_relaxed);
}

static inline void locklab_avc_set_active(struct locklab_avc *avc, int change)
{
    unsigned active = atomic_load_explicit(&avc->active, memory_order_relaxed);

    atomic_store_explicit(&avc->active, active + (unsigned)change, memory_order_relaxed);
}

static inline void locklab_avc_give_back(struct locklab_avc *avc, struct locklab_avc_node *node)
{
    locklab_avc_link(&node->next, avc->free_list);
    avc->free_list = node;
    locklab_avc_set_active(avc, -1);
}

/* Under the lock: the first unmarked entry that the hand meets goes back to the free list. */
static inline void locklab_avc_reclaim(struct locklab_avc *avc, struct locklab_avc_client *client)
{
    for (;; avc->hand = (avc->hand + 1) % LOCKLAB_AVC_SLOTS) {
        _Atomic(struct locklab_avc_node *) *link = &avc->chains[avc->hand].first;
        struct locklab_avc_node *node;

        for (; (node = locklab_avc_next(link)) != NULL; link = &node->next) {
            if (locklab_avc_unlink_unused(link, node)) {
                locklab_avc_give_back(avc, node);
                client->frees++;
                return;
            }
        }
    }
}

static inline struct locklab_avc_node *locklab_avc_claim(struct locklab_avc *avc,
                                                         struct locklab_avc_client *client)
{
    struct locklab_avc_node *node;

    if (avc->free_list == NULL)
        locklab_avc_reclaim(avc, client);
    node = avc->free_list;
    avc->free_list = locklab_avc_next(&node->next);
    locklab_avc_set_active(avc, 1);
    client->allocations++;
    return node;
}

static inline void locklab_avc_remember(struct locklab_avc *avc, struct locklab_avc_client *client,
                                        const struct locklab_avc_key *key,
                                        const struct locklab_avc_decision *decision)
{
    struct locklab_avc_chain *chain = &avc->chains[locklab_avc_slot_of(key)];
    struct locklab_avc_node *node;

    LOCKLAB_AVC_WRITE_ACQUIRE(&avc->lock);
    if (decision->seqno >= avc->latest_seqno) {
        node = locklab_avc_find(chain, key);
        if (node == NULL) {
            node = locklab_avc_claim(avc, client);
            node->key = *key;
            locklab_avc_link(&node->next, locklab_avc_next(&chain->first));
            locklab_avc_link(&chain->first, node);
        }
        node->decision = *decision;
        atomic_store_explicit(&node->used, 1, memory_order_relaxed);
    }
    LOCKLAB_AVC_WRITE_RELEASE(&avc->lock);
}

#endif
