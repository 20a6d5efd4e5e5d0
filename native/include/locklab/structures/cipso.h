/* SPDX-License-Identifier: MIT */
/*
 * CIPSO label cache: what the security option of an IP packet means, remembered.
 *
 * Mechanism. 128 buckets with a spinlock and a list of at most 10 entries each. A hit counts the
 * entry's activity up and that of the entry before it down; when it leads by more than 10, the two
 * change places, so that busy labels wander to the front. A hit takes a reference to the label,
 * which the caller puts back. A new entry goes to the front; if the bucket is full, its last entry
 * is evicted. A label lives until the last reference is put back, evicted or not.
 *
 * The index. Early code picked the bucket by `hash & (BUCKETBITS - 1)`, bits instead of buckets:
 * with 7 bits that is `hash & 6`, so only buckets 0, 2, 4 and 6 were ever used: 4 locks, 40
 * entries. `index_mask` is 127, or 6 for a cache as it was.
 *
 * Invariants. A bucket's list, size and activities change under its lock. The list's length is
 * `size`, at most 10. Each entry holds one reference to its label.
 *
 * What it is not. It is not scalable for one label: each hit writes the bucket, the entry and the
 * label's reference count. Two who miss the same label at once both insert it, as in Linux.
 *
 * Source: Linux 2.6.19, net/ipv4/cipso_ipv4.c; moore-2006.
 */
#ifndef LOCKLAB_CIPSO_H
#define LOCKLAB_CIPSO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "locklab/arch.h"
#include "locklab/structures/dwell.h"
#include "locklab/ttas.h"

#define LOCKLAB_CIPSO_BUCKET_BITS 7
#define LOCKLAB_CIPSO_BUCKETS (1 << LOCKLAB_CIPSO_BUCKET_BITS)
#define LOCKLAB_CIPSO_BUCKET_SIZE 10
#define LOCKLAB_CIPSO_REORDER_LIMIT 10
#define LOCKLAB_CIPSO_KEY_MAX 40 /* IP options have no more room */

#define LOCKLAB_CIPSO_INDEX_ALL (LOCKLAB_CIPSO_BUCKETS - 1)
#define LOCKLAB_CIPSO_INDEX_AS_IT_WAS (LOCKLAB_CIPSO_BUCKET_BITS - 1)

/* What a packet's option means to the security module. */
struct locklab_cipso_label {
    _Atomic(uint32_t) references;
    uint32_t secid;
};

struct locklab_cipso_list {
    struct locklab_cipso_list *before, *after;
};

struct locklab_cipso_entry {
    struct locklab_cipso_list list; /* first: an entry is found by its link */
    uint32_t hash;
    uint32_t activity;
    struct locklab_cipso_label *label;
    uint32_t length;
    unsigned char key[LOCKLAB_CIPSO_KEY_MAX];
};

struct locklab_cipso_bucket {
    struct locklab_ttas lock;
    uint32_t size;
    struct locklab_cipso_list list; /* a ring; this is its beginning and end */
};

struct locklab_cipso {
    uint32_t index_mask;
    _Alignas(LOCKLAB_LINE) struct locklab_cipso_bucket buckets[LOCKLAB_CIPSO_BUCKETS];
};

static inline uint32_t locklab_cipso_hash(const void *key, uint32_t length);
static inline void locklab_cipso_insert(struct locklab_cipso_list *entry,
                                        struct locklab_cipso_list *after);
static inline void locklab_cipso_remove(struct locklab_cipso_list *entry);
static inline void locklab_cipso_entry_free(struct locklab_cipso_entry *entry);
static inline void locklab_cipso_rise(struct locklab_cipso_bucket *bucket,
                                      struct locklab_cipso_entry *entry);

static inline void locklab_cipso_init(struct locklab_cipso *cache, uint32_t index_mask)
{
    cache->index_mask = index_mask;
    for (unsigned i = 0; i < LOCKLAB_CIPSO_BUCKETS; i++) {
        struct locklab_cipso_bucket *bucket = &cache->buckets[i];

        locklab_ttas_init(&bucket->lock);
        bucket->size = 0;
        bucket->list.before = bucket->list.after = &bucket->list;
    }
}

/* No thread may be at work any more. Labels that a thread holds stay. */
static inline void locklab_cipso_destroy(struct locklab_cipso *cache)
{
    for (unsigned i = 0; i < LOCKLAB_CIPSO_BUCKETS; i++) {
        struct locklab_cipso_list *list = &cache->buckets[i].list;

        while (list->after != list) {
            struct locklab_cipso_entry *entry = (struct locklab_cipso_entry *)list->after;

            locklab_cipso_remove(&entry->list);
            locklab_cipso_entry_free(entry);
        }
    }
}

/* A label with one reference, the caller's; NULL: no memory. */
static inline struct locklab_cipso_label *locklab_cipso_label_new(uint32_t secid)
{
    struct locklab_cipso_label *label = malloc(sizeof(*label));

    if (label != NULL) {
        atomic_init(&label->references, 1);
        label->secid = secid;
    }
    return label;
}

static inline void locklab_cipso_label_get(struct locklab_cipso_label *label)
{
    atomic_fetch_add_explicit(&label->references, 1, memory_order_relaxed);
}

static inline void locklab_cipso_label_put(struct locklab_cipso_label *label)
{
    if (atomic_fetch_sub_explicit(&label->references, 1, memory_order_acq_rel) == 1) {
        memset(label, 0x6b, sizeof(*label));
        /* A compiler may leave out stores to what is freed next. */
        __asm__ volatile("" : : "r"(label) : "memory");
        free(label);
    }
}

/* The key's label with a reference for the caller, or NULL. */
static inline struct locklab_cipso_label *locklab_cipso_lookup(struct locklab_cipso *cache,
                                                               const void *key, uint32_t length)
{
    uint32_t hash = locklab_cipso_hash(key, length);
    struct locklab_cipso_bucket *bucket = &cache->buckets[hash & cache->index_mask];
    struct locklab_cipso_label *label = NULL;

    locklab_ttas_acquire(&bucket->lock);
    for (struct locklab_cipso_list *at = bucket->list.after; at != &bucket->list; at = at->after) {
        struct locklab_cipso_entry *entry = (struct locklab_cipso_entry *)at;

        if (entry->hash == hash && entry->length == length &&
            memcmp(entry->key, key, length) == 0) {
            label = entry->label;
            LOCKLAB_DWELL();
            locklab_cipso_label_get(label);
            locklab_cipso_rise(bucket, entry);
            break;
        }
    }
    locklab_ttas_release(&bucket->lock);
    return label;
}

/* What became of an entry that was to be added. */
enum locklab_cipso_added {
    LOCKLAB_CIPSO_REFUSED, /* no memory, or a key longer than an option */
    LOCKLAB_CIPSO_ADDED,
    LOCKLAB_CIPSO_REPLACED, /* added, and another one evicted */
};

/* Remembers the label, with a reference of its own. */
static inline enum locklab_cipso_added locklab_cipso_add(struct locklab_cipso *cache,
                                                         const void *key, uint32_t length,
                                                         struct locklab_cipso_label *label)
{
    uint32_t hash = locklab_cipso_hash(key, length);
    struct locklab_cipso_bucket *bucket = &cache->buckets[hash & cache->index_mask];
    struct locklab_cipso_entry *entry, *evicted = NULL;

    entry = length <= LOCKLAB_CIPSO_KEY_MAX ? malloc(sizeof(*entry)) : NULL;
    if (entry == NULL)
        return LOCKLAB_CIPSO_REFUSED;
    entry->hash = hash;
    entry->activity = 0;
    entry->label = label;
    entry->length = length;
    memcpy(entry->key, key, length);
    locklab_cipso_label_get(label);

    locklab_ttas_acquire(&bucket->lock);
    if (bucket->size == LOCKLAB_CIPSO_BUCKET_SIZE) {
        evicted = (struct locklab_cipso_entry *)bucket->list.before;
        locklab_cipso_remove(&evicted->list);
    } else {
        bucket->size++;
    }
    locklab_cipso_insert(&entry->list, &bucket->list);
    locklab_ttas_release(&bucket->lock);
    if (evicted == NULL)
        return LOCKLAB_CIPSO_ADDED;
    locklab_cipso_entry_free(evicted);
    return LOCKLAB_CIPSO_REPLACED;
}

/* The entries that are there, while no other thread works; SIZE_MAX if a list is not as long as its
 * bucket says, or an entry hangs where it cannot be found, or a label has no reference. */
static inline size_t locklab_cipso_count(const struct locklab_cipso *cache)
{
    size_t count = 0;

    for (unsigned i = 0; i < LOCKLAB_CIPSO_BUCKETS; i++) {
        const struct locklab_cipso_bucket *bucket = &cache->buckets[i];
        const struct locklab_cipso_list *at = bucket->list.after;
        uint32_t size = 0;

        for (; at != &bucket->list && size <= bucket->size; at = at->after, size++) {
            const struct locklab_cipso_entry *entry = (const struct locklab_cipso_entry *)at;

            if ((entry->hash & cache->index_mask) != i || at->after->before != at ||
                atomic_load_explicit(&entry->label->references, memory_order_relaxed) == 0)
                return SIZE_MAX;
        }
        if (size != bucket->size || size > LOCKLAB_CIPSO_BUCKET_SIZE)
            return SIZE_MAX;
        count += size;
    }
    return count;
}

/* FNV-1a, its high half folded in: the bucket comes from the low bits. */
static inline uint32_t locklab_cipso_hash(const void *key, uint32_t length)
{
    const unsigned char *byte = key;
    uint32_t hash = UINT32_C(2166136261);

    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * UINT32_C(16777619);
    return hash ^ hash >> 16;
}

static inline void locklab_cipso_insert(struct locklab_cipso_list *entry,
                                        struct locklab_cipso_list *after)
{
    entry->before = after;
    entry->after = after->after;
    after->after->before = entry;
    after->after = entry;
}

static inline void locklab_cipso_remove(struct locklab_cipso_list *entry)
{
    entry->before->after = entry->after;
    entry->after->before = entry->before;
}

static inline void locklab_cipso_entry_free(struct locklab_cipso_entry *entry)
{
    locklab_cipso_label_put(entry->label);
    free(entry);
}

/* Under the bucket's lock: the entry was asked for. */
static inline void locklab_cipso_rise(struct locklab_cipso_bucket *bucket,
                                      struct locklab_cipso_entry *entry)
{
    struct locklab_cipso_entry *before = (struct locklab_cipso_entry *)entry->list.before;

    entry->activity++;
    if (&before->list == &bucket->list)
        return;
    if (before->activity > 0)
        before->activity--;
    if (entry->activity > before->activity &&
        entry->activity - before->activity > LOCKLAB_CIPSO_REORDER_LIMIT) {
        locklab_cipso_remove(&entry->list);
        locklab_cipso_insert(&entry->list, before->list.before);
    }
}

#endif
