/* SPDX-License-Identifier: MIT */
/*
 * A mix like SLOB's, the database benchmark of long-2013: readers, writers, and calls of d_path.
 *
 * Each thread is a connection. A transaction reads some random blocks of 8 KiB from the data file,
 * which all share; if it is one that writes, it puts the last block back and appends to its own
 * redo log; and it asks for the path of its file, holding the directories on the way, as
 * long-2013's profile shows the database's processes doing. Files are anonymous ones of the
 * kernel's own tmpfs. The paths are those of the tree of structures/tree.h, in user space: with the
 * kernel's own d_path nothing could be exchanged.
 *
 * How many blocks and how many paths make a transaction is an ASSUMPTION: long-2013 publishes the
 * redo written, not what a connection called.
 *
 * The mix: `think` turns between two transactions; `write_share` of 65536 transactions write
 * (`writes` counts them); `option` the depth (tree.h), + 256 times the paths asked for in a
 * transaction, 0 for one. Transactions that failed are counted in `torn`.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include DCACHE

#include "structures/kernel.h"
#include "structures/random.h"
#include "structures/tree.h"

#define BLOCK_BYTES 8192
#define DATA_BLOCKS 2048
#define READS 4
#define REDO_BYTES 512
#define REDO_WRAP (1 << 20)

struct state {
    struct tree *tree;
    unsigned threads;
    int data;
    int redo[];
};

struct client {
    struct state *state;
    struct locklab_dentry *file;
    struct random random;
    unsigned thread;
    unsigned paths;
    uint32_t write_share;
    uint64_t writes;
    char block[BLOCK_BYTES];
};

static void dispose(void *arg)
{
    struct state *state = arg;

    for (unsigned i = 0; i < state->threads; i++)
        close(state->redo[i]);
    if (state->data >= 0)
        close(state->data);
    if (state->tree != NULL)
        tree_free(state->tree);
    free(state);
}

static void *prepare(unsigned threads)
{
    struct state *state = malloc(sizeof(*state) + threads * sizeof(int));
    bool right;

    if (state == NULL)
        return NULL;
    state->tree = tree_new(threads);
    state->data = memfd_create("slob-data", MFD_CLOEXEC);
    right = state->tree != NULL && state->data >= 0 &&
            ftruncate(state->data, (off_t)DATA_BLOCKS * BLOCK_BYTES) == 0;
    for (state->threads = 0; right && state->threads < threads; state->threads++) {
        state->redo[state->threads] = memfd_create("slob-redo", MFD_CLOEXEC);
        right = state->redo[state->threads] >= 0;
    }
    if (right)
        return state;
    return given_up(state, dispose);
}

static uint64_t updates(const void *arg)
{
    (void)arg;
    return 0;
}

static inline void client_init(struct client *client, struct state *state, unsigned thread,
                               const struct locklab_order *order)
{
    unsigned paths = order->mix.option >> 8;

    client->state = state;
    client->file = &state->tree->files[thread];
    client->thread = thread;
    client->paths = paths ? paths : 1;
    client->write_share = order->mix.write_share;
    client->writes = 0;
    random_init(&client->random, order->mix.seed, thread);
    tree_set_depth(state->tree, order->mix.option & 0xff);
}

static inline void client_leave(struct client *client, struct locklab_tally *tally)
{
    tally->writes = client->writes;
}

static bool write_block(struct client *client, off_t place)
{
    int redo = client->state->redo[client->thread];
    off_t end = (off_t)(client->writes * REDO_BYTES % REDO_WRAP);

    client->writes++;
    client->block[0]++;
    return pwrite(redo, client->block, REDO_BYTES, end) == REDO_BYTES &&
           pwrite(client->state->data, client->block, BLOCK_BYTES, place) == BLOCK_BYTES;
}

/* The path, with every directory on the way held. */
static bool ask_for_path(struct client *client)
{
    struct locklab_dentry *dentry = client->file, *parent;
    char buffer[TREE_PATH_MAX];
    bool found;

    for (; (parent = locklab_dentry_parent(dentry)) != dentry; dentry = parent)
        locklab_dget(parent);
    found = locklab_dcache_path(&client->state->tree->dcache, client->file, buffer,
                                sizeof(buffer)) != NULL;
    dentry = client->file;
    for (; (parent = locklab_dentry_parent(dentry)) != dentry; dentry = parent)
        locklab_dput(parent);
    return found;
}

static inline uint64_t client_operate(struct client *client, struct locklab_tally *tally)
{
    off_t place = 0;
    bool right = true;

    for (int i = 0; i < READS; i++) {
        place = (off_t)random_below(&client->random, DATA_BLOCKS) * BLOCK_BYTES;
        right &= pread(client->state->data, client->block, BLOCK_BYTES, place) == BLOCK_BYTES;
    }
    if (client->write_share > 0 && random_happens(&client->random, client->write_share))
        right &= write_block(client, place);
    for (unsigned i = 0; i < client->paths; i++)
        right &= ask_for_path(client);
    tally->torn += !right;
    return 1;
}

#include LOCKLAB_LOOP
