/* SPDX-License-Identifier: MIT */
/* A CIPSO label cache for one thread, for ctypes. */
#include "locklab/structures/cipso.h"

struct locklab_cipso *shim_new(uint32_t index_mask)
{
    struct locklab_cipso *cache = aligned_alloc(_Alignof(struct locklab_cipso), sizeof(*cache));

    locklab_cipso_init(cache, index_mask);
    return cache;
}

void shim_free(struct locklab_cipso *cache)
{
    locklab_cipso_destroy(cache);
    free(cache);
}

/* The label's secid, or 0. */
uint32_t shim_lookup(struct locklab_cipso *cache, const void *key, uint32_t length)
{
    struct locklab_cipso_label *label = locklab_cipso_lookup(cache, key, length);
    uint32_t secid = 0;

    if (label != NULL) {
        secid = label->secid;
        locklab_cipso_label_put(label);
    }
    return secid;
}

int shim_add(struct locklab_cipso *cache, const void *key, uint32_t length, uint32_t secid)
{
    struct locklab_cipso_label *label = locklab_cipso_label_new(secid);
    enum locklab_cipso_added added = locklab_cipso_add(cache, key, length, label);

    locklab_cipso_label_put(label);
    return (int)added;
}

size_t shim_count(const struct locklab_cipso *cache)
{
    return locklab_cipso_count(cache);
}

uint32_t shim_hash(const void *key, uint32_t length)
{
    return locklab_cipso_hash(key, length);
}

/* Secid and activity of the entries of a bucket, front first; returns how many. */
unsigned shim_bucket(const struct locklab_cipso *cache, unsigned number, uint32_t secids[10],
                     uint32_t activities[10])
{
    const struct locklab_cipso_list *list = &cache->buckets[number].list;
    unsigned size = 0;

    for (struct locklab_cipso_list *at = list->after; at != list && size < 10; at = at->after) {
        const struct locklab_cipso_entry *entry = (const struct locklab_cipso_entry *)at;

        secids[size] = entry->label->secid;
        activities[size++] = entry->activity;
    }
    return size;
}
