/* SPDX-License-Identifier: MIT */
/*
 * The tree that the kernels of directory entries work on. Included after a dcache scheme.
 *
 * A chain of directories, /d1/d2/..., and at its end two directories, A and B, between which files
 * move: one file a thread. The low 8 bits of the mix's option are the length of the chain, 0 for
 * TREE_DEPTH.
 */
#ifndef LOCKLAB_STRUCTURES_TREE_H
#define LOCKLAB_STRUCTURES_TREE_H

#include <stdio.h>
#include <stdlib.h>

#include "harness/harness.h"

#define TREE_DEPTH 3
#define TREE_DEEPEST 255
#define TREE_PATH_MAX 4096

struct tree {
    struct locklab_dcache dcache;
    struct locklab_dentry chain[TREE_DEEPEST];
    struct locklab_dentry sides[2]; /* A and B */
    struct locklab_dentry *files;   /* one a thread */
    unsigned threads;
};

static inline void tree_free(struct tree *tree)
{
    free(tree->files);
    free(tree);
}

/* NULL: no memory. Every file is in A. */
static inline struct tree *tree_new(unsigned threads)
{
    struct tree *tree = aligned_alloc(_Alignof(struct tree), sizeof(struct tree));
    char name[LOCKLAB_DCACHE_NAME];

    if (tree == NULL)
        return NULL;
    tree->threads = threads;
    tree->files = aligned_alloc(_Alignof(struct locklab_dentry), threads * sizeof(*tree->files));
    if (tree->files == NULL) {
        tree_free(tree);
        return NULL;
    }
    locklab_dcache_init(&tree->dcache);
    for (unsigned i = 0; i < TREE_DEEPEST; i++) {
        snprintf(name, sizeof(name), "d%u", i + 1);
        locklab_dentry_init(&tree->chain[i], i ? &tree->chain[i - 1] : &tree->dcache.root, name);
    }
    locklab_dentry_init(&tree->sides[0], &tree->chain[TREE_DEPTH - 1], "A");
    locklab_dentry_init(&tree->sides[1], &tree->chain[TREE_DEPTH - 1], "B");
    for (unsigned i = 0; i < threads; i++) {
        snprintf(name, sizeof(name), "f%u-0", i);
        locklab_dentry_init(&tree->files[i], &tree->sides[0], name);
    }
    return tree;
}

/* Hangs A and B below the chain's directory number `depth` (0: TREE_DEPTH). All threads of a run
 * ask for the same, and it is the first thing that they do. */
static inline void tree_set_depth(struct tree *tree, unsigned depth)
{
    struct locklab_dentry *end = &tree->chain[(depth ? depth : TREE_DEPTH) - 1];

    for (int i = 0; i < 2; i++)
        if (locklab_dentry_parent(&tree->sides[i]) != end)
            locklab_dcache_move(&tree->dcache, &tree->sides[i], end, i ? "B" : "A");
}

/* Version `version` of a file: in A if even, in B if odd, with the number in its name. */
static inline void tree_move_file(struct tree *tree, unsigned file, unsigned version)
{
    char name[LOCKLAB_DCACHE_NAME];

    snprintf(name, sizeof(name), "f%u-%u", file, version);
    locklab_dcache_move(&tree->dcache, &tree->files[file], &tree->sides[version % 2], name);
}

#endif
