/* SPDX-License-Identifier: MIT */
/*
 * Who finds a new directory through an entry's parent finds it initialised.
 *
 * The directory's memory is written by plain stores before it is published, and the finder takes no
 * lock. Only the header's own orders lie in between, so ThreadSanitizer reports a race if the
 * publishing store is not a release or the load not an acquire.
 */
#include <pthread.h>
#include <stdlib.h>

#include "locklab/structures/dcache_seqretry.h"

static struct locklab_dcache dcache;
static struct locklab_dentry file;

static void *find(void *arg)
{
    struct locklab_dentry *parent;

    (void)arg;
    while ((parent = locklab_dentry_parent(&file)) == &dcache.root)
        locklab_pause();
    locklab_dget(parent);
    return NULL;
}

int main(void)
{
    struct locklab_dentry *directory;
    pthread_t finder;
    int wrong;

    locklab_dcache_init(&dcache);
    locklab_dentry_init(&file, &dcache.root, "file");
    if (pthread_create(&finder, NULL, find, NULL) != 0)
        return 2;
    directory = aligned_alloc(_Alignof(struct locklab_dentry), sizeof(*directory));
    memset(directory, 0, sizeof(*directory));
    locklab_dentry_init(directory, &dcache.root, "directory");
    locklab_dcache_move(&dcache, &file, directory, "moved");
    pthread_join(finder, NULL);
    wrong = locklab_dcount(directory) != 2;
    free(directory);
    return wrong;
}
