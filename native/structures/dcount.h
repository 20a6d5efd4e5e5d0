/* SPDX-License-Identifier: MIT */
/*
 * Holding directory entries as a kernel: included after one of the dcache schemes.
 *
 * throughput. Each thread goes from its file up to the root, as a walk that holds what it looks at:
 * gets the parent, puts the child. One get and put is one operation. The mix: `think` between two
 * walks, `option` the depth (tree.h). The upper directories are everybody's.
 *
 * validate. Each entry on the way to the root in turn is held and put back; who holds an entry must
 * find it held. Some references to the root are kept: in the end just these must be there, and no
 * other entry may be held but by its maker.
 */
#include "structures/tree.h"

#define LEVELS (TREE_DEPTH + 3) /* the file, A, the chain, the root */
#define KEEP_EVERY (2 * LEVELS)

struct state {
    struct tree *tree;
};

struct client {
    struct tree *tree;
    struct locklab_dentry *file;
    uint64_t kept;
};

static void *prepare(unsigned threads)
{
    struct state *state = malloc(sizeof(*state));

    if (state == NULL)
        return NULL;
    state->tree = tree_new(threads);
    if (state->tree == NULL) {
        free(state);
        return NULL;
    }
    return state;
}

static void dispose(void *arg)
{
    struct state *state = arg;

    tree_free(state->tree);
    free(state);
}

/* References to the root but its maker's; UINT64_MAX when another entry is held. */
static uint64_t updates(const void *arg)
{
    struct tree *tree = ((const struct state *)arg)->tree;

    for (unsigned i = 0; i < TREE_DEEPEST; i++)
        if (locklab_dcount(&tree->chain[i]) != 1)
            return UINT64_MAX;
    for (unsigned i = 0; i < tree->threads; i++)
        if (locklab_dcount(&tree->files[i]) != 1)
            return UINT64_MAX;
    if (locklab_dcount(&tree->sides[0]) != 1 || locklab_dcount(&tree->sides[1]) != 1)
        return UINT64_MAX;
    return locklab_dcount(&tree->dcache.root) - 1;
}

static inline void client_init(struct client *client, struct state *state, unsigned thread,
                               const struct locklab_order *order)
{
    *client = (struct client){state->tree, &state->tree->files[thread], 0};
    tree_set_depth(state->tree, order->mix.option & 0xff);
}

static inline void client_leave(struct client *client, struct locklab_tally *tally)
{
    tally->writes = client->kept;
}

/* One walk; the number of gets, as many puts. */
static inline uint64_t client_operate(struct client *client, struct locklab_tally *tally)
{
    struct locklab_dentry *dentry = client->file, *parent;
    uint64_t steps = 1;

    (void)tally;
    locklab_dget(dentry);
    while ((parent = locklab_dentry_parent(dentry)) != dentry) {
        locklab_dget(parent);
        locklab_dput(dentry);
        dentry = parent;
        steps++;
    }
    locklab_dput(dentry);
    return steps;
}

static inline void client_validate(struct client *client, uint64_t turn,
                                   struct locklab_tally *tally)
{
    struct locklab_dentry *dentry = client->file;

    for (uint64_t level = 0; level < turn % LEVELS; level++)
        dentry = locklab_dentry_parent(dentry);
    locklab_dget(dentry);
    LOCKLAB_DWELL();
    tally->torn += locklab_dcount(dentry) < 2;
    if (turn % KEEP_EVERY == LEVELS - 1)
        client->kept++; /* at the root */
    else
        locklab_dput(dentry);
}
