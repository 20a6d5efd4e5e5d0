/* SPDX-License-Identifier: MIT */
/*
 * Directory entries and the path that leads to one. Take them through dcache_seqwriter.h,
 * dcache_seqrwlock.h or dcache_seqretry.h, which say how a walk is kept from meeting a rename.
 *
 * Mechanism. An entry knows its parent, its name and how many hold it. A path is written backwards
 * into the end of a buffer, name by name, from the entry to the root. A move changes parent and
 * name of an entry as a writer of `rename_lock`, one lock for the whole tree. A walk is an attempt:
 * entered, done, and left, and repeated when leaving says so.
 *
 * Invariants. Parents and names change only under `rename_lock` held for writing. A path that is
 * returned is one that the entry had at one moment between call and return, all of it at once.
 * Parents and names are atomics: an optimistic walk may meet half a move, and throws away what it
 * made of it. Such a walk ends nevertheless: it needs room in the buffer for each step. Names are
 * relaxed. A parent is stored with release and loaded with acquire, because the walk goes on to it
 * before it knows whether a move came by.
 *
 * Entries must not be freed while a thread walks (the kernel frees them after a grace period), and
 * a move must not put a directory below itself.
 *
 * What it is not. There is no hash table and no look-up by name, no mount point, no lock of a
 * single entry (the 3.8 kernel takes it round each name), no name longer than 31 bytes.
 *
 * Source: Linux 3.8, 3.12 and the patches of long-2013, fs/dcache.c: d_path, d_move, dget, dput.
 */
#ifndef LOCKLAB_DCACHE_H
#define LOCKLAB_DCACHE_H

#ifndef LOCKLAB_DCACHE_LOCK
#error "choose how paths are read: include dcache_seqwriter.h, _seqrwlock.h or _seqretry.h"
#endif

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "locklab/arch.h"
#include "locklab/structures/dwell.h"

#define LOCKLAB_DCACHE_NAME 32 /* bytes, the last one 0 */

struct locklab_dentry {
    _Alignas(LOCKLAB_LINE) LOCKLAB_DCACHE_COUNT count;
    _Atomic(struct locklab_dentry *) parent; /* the root's is the root */
    _Atomic(uint64_t) name[LOCKLAB_DCACHE_NAME / sizeof(uint64_t)];
};

struct locklab_dcache {
    _Alignas(LOCKLAB_LINE) LOCKLAB_DCACHE_LOCK rename_lock;
    struct locklab_dentry root;
};

static inline void locklab_dentry_place(struct locklab_dentry *dentry,
                                        struct locklab_dentry *parent, const char *name);
static inline char *locklab_dcache_walk(struct locklab_dentry *dentry, char *buffer, size_t size);

/* A new entry, held once. No other thread may know it yet. */
static inline void locklab_dentry_init(struct locklab_dentry *dentry, struct locklab_dentry *parent,
                                       const char *name)
{
    locklab_dcache_count_init(&dentry->count);
    locklab_dentry_place(dentry, parent, name);
}

static inline void locklab_dcache_init(struct locklab_dcache *dcache)
{
    locklab_dcache_lock_init(&dcache->rename_lock);
    locklab_dentry_init(&dcache->root, &dcache->root, "");
}

/* d_path: the path's first byte, inside the buffer; NULL when the buffer is too short. */
static inline char *locklab_dcache_path(struct locklab_dcache *dcache,
                                        struct locklab_dentry *dentry, char *buffer, size_t size)
{
    for (unsigned attempt = 0;; attempt++) {
        uint64_t token = locklab_dcache_walk_enter(&dcache->rename_lock, attempt);
        char *path = locklab_dcache_walk(dentry, buffer, size);

        if (!locklab_dcache_walk_leave(&dcache->rename_lock, attempt, token))
            return path;
    }
}

/* d_move: another name, another parent, or both. Longer names are cut. */
static inline void locklab_dcache_move(struct locklab_dcache *dcache, struct locklab_dentry *dentry,
                                       struct locklab_dentry *parent, const char *name)
{
    locklab_dcache_move_acquire(&dcache->rename_lock);
    locklab_dentry_place(dentry, parent, name);
    locklab_dcache_move_release(&dcache->rename_lock);
}

/* The parent, for who stands still or does not mind. Acquire: the caller looks into it. */
static inline struct locklab_dentry *locklab_dentry_parent(const struct locklab_dentry *dentry)
{
    return atomic_load_explicit(&dentry->parent, memory_order_acquire);
}

static inline void locklab_dentry_place(struct locklab_dentry *dentry,
                                        struct locklab_dentry *parent, const char *name)
{
    char padded[LOCKLAB_DCACHE_NAME] = {0};
    uint64_t words[LOCKLAB_DCACHE_NAME / sizeof(uint64_t)];
    size_t length = strlen(name);

    memcpy(padded, name, length < sizeof(padded) ? length : sizeof(padded) - 1);
    memcpy(words, padded, sizeof(words));
    /* Release: a walk that goes on to a new parent finds it initialised. */
    atomic_store_explicit(&dentry->parent, parent, memory_order_release);
    LOCKLAB_DWELL();
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        atomic_store_explicit(&dentry->name[i], words[i], memory_order_relaxed);
}

/* Writes "/name" before `end`; NULL when it does not fit between `buffer` and there. */
static inline char *locklab_dcache_prepend(const struct locklab_dentry *dentry, char *buffer,
                                           char *end)
{
    uint64_t words[LOCKLAB_DCACHE_NAME / sizeof(uint64_t)];
    char name[LOCKLAB_DCACHE_NAME + 1] = {0};
    size_t length;

    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        words[i] = atomic_load_explicit(&dentry->name[i], memory_order_relaxed);
    memcpy(name, words, sizeof(words));
    length = strlen(name);
    if ((size_t)(end - buffer) < length + 1)
        return NULL;
    end -= length;
    memcpy(end, name, length);
    *--end = '/';
    return end;
}

static inline char *locklab_dcache_walk(struct locklab_dentry *dentry, char *buffer, size_t size)
{
    struct locklab_dentry *parent;
    char *path;

    if (size < 2)
        return NULL;
    path = buffer + size - 1;
    *path = '\0';
    while ((parent = locklab_dentry_parent(dentry)) != dentry) {
        LOCKLAB_DWELL();
        path = locklab_dcache_prepend(dentry, buffer, path);
        if (path == NULL)
            return NULL;
        dentry = parent;
    }
    if (*path == '\0')
        *--path = '/';
    return path;
}

#endif
