/* SPDX-License-Identifier: MIT */
/*
 * An access vector cache that readers use under RCU.
 *
 * Readers search a chain and copy what they find; they write nothing, but for the mark of an entry
 * that has none. Whoever changes a chain holds the lock. An entry that readers can see is not
 * changed any more: a new one takes its place, and the old one is freed after a grace period.
 */
#include "avc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <urcu.h>

#define SLOTS 8

struct entry {
    struct avc_key key;
    struct avc_decision decision;
    _Atomic(bool) used;
    struct entry *next;
    struct rcu_head reclaimed;
};

static struct entry *slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool equal(const struct avc_key *a, const struct avc_key *b)
{
    return a->ssid == b->ssid && a->tsid == b->tsid && a->tclass == b->tclass;
}

static struct entry **slot_of(const struct avc_key *key)
{
    return &slots[(key->ssid ^ (key->tsid << 2) ^ (key->tclass << 4)) % SLOTS];
}

static void free_entry(struct rcu_head *head)
{
    free((char *)head - offsetof(struct entry, reclaimed));
}

void avc_init(void)
{
    for (int i = 0; i < SLOTS; i++)
        slots[i] = NULL;
}

void avc_destroy(void)
{
    rcu_barrier();
    for (int i = 0; i < SLOTS; i++)
        while (slots[i] != NULL) {
            struct entry *gone = slots[i];

            slots[i] = gone->next;
            free(gone);
        }
}

bool avc_lookup(const struct avc_key *key, struct avc_decision *decision)
{
    struct entry *at;

    rcu_read_lock();
    at = rcu_dereference(*slot_of(key));
    while (at != NULL && !equal(&at->key, key))
        at = rcu_dereference(at->next);
    if (at != NULL) {
        /* A store on each hit would make all readers' caches fight for the line. */
        if (!atomic_load_explicit(&at->used, memory_order_relaxed))
            atomic_store_explicit(&at->used, true, memory_order_relaxed);
        *decision = at->decision;
    }
    rcu_read_unlock();
    return at != NULL;
}

bool avc_insert(const struct avc_key *key, const struct avc_decision *decision)
{
    struct entry *made = malloc(sizeof(*made)), **link = slot_of(key), *old;

    if (made == NULL)
        return false;
    made->key = *key;
    made->decision = *decision;
    atomic_init(&made->used, true);
    pthread_mutex_lock(&lock);
    while (*link != NULL && !equal(&(*link)->key, key))
        link = &(*link)->next;
    old = *link;
    made->next = old != NULL ? old->next : NULL;
    rcu_assign_pointer(*link, made);
    pthread_mutex_unlock(&lock);
    if (old != NULL)
        call_rcu(&old->reclaimed, free_entry);
    return true;
}

unsigned avc_reclaim(void)
{
    unsigned forgotten = 0;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < SLOTS; i++)
        for (struct entry **link = &slots[i]; *link != NULL;) {
            struct entry *at = *link;

            if (atomic_load_explicit(&at->used, memory_order_relaxed)) {
                atomic_store_explicit(&at->used, false, memory_order_relaxed);
                link = &at->next;
            } else {
                rcu_assign_pointer(*link, at->next);
                call_rcu(&at->reclaimed, free_entry);
                forgotten++;
            }
        }
    pthread_mutex_unlock(&lock);
    return forgotten;
}
