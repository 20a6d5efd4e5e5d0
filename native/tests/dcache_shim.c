/* SPDX-License-Identifier: MIT */
/* Directory entries for one thread, for ctypes: test_dcache.py lets DCACHE name the scheme. */
#include <stdlib.h>

#include DCACHE

#define ENTRIES 8

struct shim {
    struct locklab_dcache dcache;
    struct locklab_dentry entries[ENTRIES];
};

/* All entries below the root, without a name. */
struct shim *shim_new(void)
{
    struct shim *shim = aligned_alloc(_Alignof(struct shim), sizeof(*shim));

    locklab_dcache_init(&shim->dcache);
    for (int i = 0; i < ENTRIES; i++)
        locklab_dentry_init(&shim->entries[i], &shim->dcache.root, "");
    return shim;
}

void shim_free(struct shim *shim)
{
    free(shim);
}

/* Number -1 is the root. */
static struct locklab_dentry *entry(struct shim *shim, int number)
{
    return number < 0 ? &shim->dcache.root : &shim->entries[number];
}

void shim_move(struct shim *shim, int number, int parent, const char *name)
{
    locklab_dcache_move(&shim->dcache, entry(shim, number), entry(shim, parent), name);
}

/* The path's place in the buffer, or -1. */
int shim_path(struct shim *shim, int number, char *buffer, size_t size)
{
    char *path = locklab_dcache_path(&shim->dcache, entry(shim, number), buffer, size);

    return path != NULL ? (int)(path - buffer) : -1;
}

unsigned shim_hold(struct shim *shim, int number, int gets, int puts)
{
    for (int i = 0; i < gets; i++)
        locklab_dget(entry(shim, number));
    for (int i = 0; i < puts; i++)
        locklab_dput(entry(shim, number));
    return locklab_dcount(entry(shim, number));
}
