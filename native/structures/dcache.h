/* SPDX-License-Identifier: MIT */
/*
 * Paths and renames as a kernel: included after one of the three dcache schemes.
 *
 * throughput. Each thread asks for the path of its file, and now and then moves it. The mix:
 *   think         turns between two operations
 *   write_share   of 65536 operations, moves
 *   option        the depth, see tree.h; + DCACHE_ONE_FILE
 *
 * validate. Everybody asks for the paths of all files; one operation in 8 moves the thread's own
 * file to the other directory under a new name, and thread 0 moves directory B about, too. A path
 * must be one that the file had at some moment of the call: the version in each name
 * says in which directory it belongs, and must lie between the last move that had ended before the
 * call and the last that had begun when it returned.
 */
#include "structures/random.h"
#include "structures/tree.h"

#define DCACHE_DEPTH 0xff
#define DCACHE_ONE_FILE (1 << 16) /* everybody asks for the first file */

#define MOVE_DIRECTORY_EVERY 64

struct moves {
    _Alignas(LOCKLAB_PAD) _Atomic(unsigned) begun;
    _Atomic(unsigned) ended;
};

struct state {
    struct tree *tree;
    struct moves *files; /* one a thread, and one more for directory B */
};

struct client {
    struct state *state;
    struct tree *tree;
    struct random random;
    unsigned thread;
    unsigned file;
    unsigned moves;
    uint32_t move_share;
};

static void dispose(void *arg)
{
    struct state *state = arg;

    if (state->tree != NULL)
        tree_free(state->tree);
    free(state->files);
    free(state);
}

static void *prepare(unsigned threads)
{
    struct state *state = malloc(sizeof(*state));

    if (state == NULL)
        return NULL;
    state->tree = tree_new(threads);
    state->files = aligned_alloc(LOCKLAB_PAD, (threads + 1) * sizeof(struct moves));
    if (state->tree == NULL || state->files == NULL) {
        dispose(state);
        return NULL;
    }
    for (unsigned i = 0; i <= threads; i++) {
        atomic_init(&state->files[i].begun, 0);
        atomic_init(&state->files[i].ended, 0);
    }
    return state;
}

/* The versions that the names say in the end. */
static uint64_t updates(const void *arg)
{
    const struct state *state = arg;
    uint64_t moves = 0;

    for (unsigned i = 0; i < state->tree->threads; i++) {
        char buffer[TREE_PATH_MAX];
        const char *path = locklab_dcache_path(&state->tree->dcache, &state->tree->files[i], buffer,
                                               sizeof(buffer));

        moves += strtoul(strrchr(path, '-') + 1, NULL, 10);
    }
    return moves;
}

static inline void client_init(struct client *client, struct state *state, unsigned thread,
                               const struct locklab_order *order)
{
    *client = (struct client){
        .state = state,
        .tree = state->tree,
        .thread = thread,
        .file = order->mix.option & DCACHE_ONE_FILE ? 0 : thread,
        .moves = atomic_load_explicit(&state->files[thread].ended, memory_order_relaxed),
        .move_share = order->mix.write_share,
    };
    random_init(&client->random, order->mix.seed, thread);
    if (order->iterations == 0) /* not the loop that validates, which moves directories itself */
        tree_set_depth(state->tree, order->mix.option & DCACHE_DEPTH);
}

static inline void client_leave(struct client *client, struct locklab_tally *tally)
{
    tally->writes = client->moves;
}

/* The thread's own file goes to the other directory. */
static inline void move_file(struct client *client)
{
    struct moves *moves = &client->state->files[client->thread];
    unsigned version = ++client->moves;

    atomic_store_explicit(&moves->begun, version, memory_order_release);
    tree_move_file(client->tree, client->thread, version);
    atomic_store_explicit(&moves->ended, version, memory_order_release);
}

static inline uint64_t client_operate(struct client *client, struct locklab_tally *tally)
{
    char buffer[TREE_PATH_MAX];

    if (client->move_share > 0 && random_happens(&client->random, client->move_share))
        move_file(client);
    else if (locklab_dcache_path(&client->tree->dcache, &client->tree->files[client->file], buffer,
                                 sizeof(buffer)) == NULL)
        tally->torn++;
    __asm__ volatile("" : : "r"(buffer) : "memory");
    return 1;
}

/* Directory B hangs below /d1/d2/d3 in its even versions, below /d1 in its odd ones. */
static inline void move_directory(struct client *client)
{
    struct tree *tree = client->tree;
    struct moves *moves = &client->state->files[tree->threads];
    unsigned version = 1 + atomic_load_explicit(&moves->ended, memory_order_relaxed);
    char name[LOCKLAB_DCACHE_NAME];

    snprintf(name, sizeof(name), "B%u", version);
    atomic_store_explicit(&moves->begun, version, memory_order_release);
    locklab_dcache_move(&tree->dcache, &tree->sides[1],
                        &tree->chain[version % 2 ? 0 : TREE_DEPTH - 1], name);
    atomic_store_explicit(&moves->ended, version, memory_order_release);
}

static inline unsigned ended(const struct moves *moves)
{
    return atomic_load_explicit(&moves->ended, memory_order_acquire);
}

static inline bool between(unsigned low, unsigned version, const struct moves *moves)
{
    return low <= version && version <= atomic_load_explicit(&moves->begun, memory_order_acquire);
}

/* Whether the file had this path while its version was `low` or later, and B's `low_b`. */
static bool path_is_right(const struct client *client, unsigned file, const char *path,
                          unsigned low, unsigned low_b)
{
    const struct state *state = client->state;
    unsigned number, version, version_b = 0;
    char expected[64];

    if (path == NULL || sscanf(strrchr(path, '/'), "/f%u-%u", &number, &version) != 2)
        return false;
    if (number != file || !between(low, version, &state->files[file]))
        return false;
    if (version % 2 == 0) {
        snprintf(expected, sizeof(expected), "/d1/d2/d3/A/f%u-%u", file, version);
        return strcmp(path, expected) == 0;
    }
    if (strstr(path, "/B/") == NULL) {
        const char *name = strstr(path, "/B");

        if (name == NULL || sscanf(name, "/B%u/", &version_b) != 1)
            return false;
    }
    if (!between(low_b, version_b, &state->files[client->tree->threads]))
        return false;
    if (version_b == 0)
        snprintf(expected, sizeof(expected), "/d1/d2/d3/B/f%u-%u", file, version);
    else
        snprintf(expected, sizeof(expected), "/d1%s/B%u/f%u-%u", version_b % 2 ? "" : "/d2/d3",
                 version_b, file, version);
    return strcmp(path, expected) == 0;
}

static inline void client_validate(struct client *client, uint64_t turn,
                                   struct locklab_tally *tally)
{
    const struct state *state = client->state;
    struct tree *tree = client->tree;
    unsigned file = random_below(&client->random, tree->threads);
    unsigned low = ended(&state->files[file]);
    unsigned low_b = ended(&state->files[tree->threads]);
    char buffer[TREE_PATH_MAX];
    const char *path;

    if (turn % 8 == 7) {
        move_file(client);
        return;
    }
    if (client->thread == 0 && turn % MOVE_DIRECTORY_EVERY == 0) {
        move_directory(client);
        return;
    }
    path = locklab_dcache_path(&tree->dcache, &tree->files[file], buffer, sizeof(buffer));
    tally->torn += !path_is_right(client, file, path, low, low_b);
}
