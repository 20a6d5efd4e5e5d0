/* SPDX-License-Identifier: MIT */
/*
 * The CIPSO label cache as a kernel.
 *
 * throughput. Each thread receives packets: it looks the packet's label up, translates and
 * remembers it on a miss, and puts its reference back. The mix:
 *   think     turns between two packets
 *   hold      turns that a translation takes
 *   option    a sum of: how many different labels arrive (0 to 65535; 0 is 1), all alike often;
 *             CIPSO_INDEX_AS_IT_WAS; CIPSO_OFF
 *
 * validate. 2000 labels, low ones more often, fill the buckets and evict. A label must be the
 * key's own and stay so while a reference is held; in the end the entries that are there are
 * those that were added less those that were evicted.
 */
#include "harness/pause.h"
#include "structures/dwell.h"

#include "locklab/structures/cipso.h"

#include "harness/harness.h"
#include "structures/random.h"

#define KERNEL cipso

enum cipso_option {
    CIPSO_LABELS = 0xffff,
    CIPSO_INDEX_AS_IT_WAS = 1 << 16, /* 4 buckets of 128, as in early 2006 */
    CIPSO_OFF = 1 << 17,             /* no cache: every packet is translated */
};

#define VALIDATED_LABELS 2000

struct seat {
    _Alignas(LOCKLAB_PAD) uint64_t added;
    uint64_t evicted;
};

struct state {
    struct locklab_cipso caches[2]; /* the second with the early index */
    unsigned threads;
    struct seat seats[];
};

struct client {
    struct locklab_cipso *cache; /* NULL: off */
    struct seat *seat;
    struct random random;
    uint32_t labels;
    uint32_t turns;
};

/* A CIPSO option with tag type 1: domain, level, categories. */
struct option {
    unsigned char type, length;
    unsigned char domain[4];
    unsigned char tag, tag_length, alignment, level;
    unsigned char categories[4];
};

static void *prepare(unsigned threads)
{
    struct state *state =
        aligned_alloc(LOCKLAB_PAD, sizeof(struct state) + threads * sizeof(struct seat));

    if (state == NULL)
        return NULL;
    locklab_cipso_init(&state->caches[0], LOCKLAB_CIPSO_INDEX_ALL);
    locklab_cipso_init(&state->caches[1], LOCKLAB_CIPSO_INDEX_AS_IT_WAS);
    state->threads = threads;
    for (unsigned i = 0; i < threads; i++)
        state->seats[i].added = state->seats[i].evicted = 0;
    return state;
}

static void dispose(void *arg)
{
    struct state *state = arg;

    locklab_cipso_destroy(&state->caches[0]);
    locklab_cipso_destroy(&state->caches[1]);
    free(state);
}

static uint64_t updates(const void *arg)
{
    const struct state *state = arg;
    uint64_t entries = locklab_cipso_count(&state->caches[0]);

    entries += locklab_cipso_count(&state->caches[1]);
    for (unsigned i = 0; i < state->threads; i++)
        entries += state->seats[i].evicted;
    return entries;
}

static inline void client_init(struct client *client, struct state *state, unsigned thread,
                               const struct locklab_order *order)
{
    uint32_t option = order->mix.option;

    *client = (struct client){
        .cache = &state->caches[(option & CIPSO_INDEX_AS_IT_WAS) != 0],
        .seat = &state->seats[thread],
        .labels = option & CIPSO_LABELS ? option & CIPSO_LABELS : 1,
        .turns = order->mix.hold,
    };
    if (option & CIPSO_OFF)
        client->cache = NULL;
    random_init(&client->random, order->mix.seed, thread);
}

static inline void client_leave(struct client *client, struct locklab_tally *tally)
{
    tally->writes = client->seat->added;
}

static inline struct option option_of(uint32_t number)
{
    return (struct option){
        .type = 134,
        .length = sizeof(struct option),
        .domain = {0, 0, 0, 3},
        .tag = 1,
        .tag_length = 8,
        .level = number & 0xff,
        .categories = {0, 0, (number >> 16) & 0xff, (number >> 8) & 0xff},
    };
}

/* What a label means; takes its time. */
static inline uint32_t translate(const struct option *option, uint32_t turns)
{
    locklab_spend(turns);
    return option->level | (uint32_t)option->categories[3] << 8 |
           (uint32_t)option->categories[2] << 16 | UINT32_C(0x5ec00000);
}

/* The label of a packet, with a reference; NULL: no memory. */
static inline struct locklab_cipso_label *receive(struct client *client, uint32_t number)
{
    struct option option = option_of(number);
    struct locklab_cipso_label *label = NULL;

    if (client->cache != NULL)
        label = locklab_cipso_lookup(client->cache, &option, sizeof(option));
    if (label != NULL)
        return label;
    label = locklab_cipso_label_new(translate(&option, client->turns));
    if (label != NULL && client->cache != NULL) {
        enum locklab_cipso_added added =
            locklab_cipso_add(client->cache, &option, sizeof(option), label);

        client->seat->added += added != LOCKLAB_CIPSO_REFUSED;
        client->seat->evicted += added == LOCKLAB_CIPSO_REPLACED;
    }
    return label;
}

static inline uint64_t client_operate(struct client *client, struct locklab_tally *tally)
{
    uint32_t number = client->labels > 1 ? random_below(&client->random, client->labels) : 0;
    struct locklab_cipso_label *label = receive(client, number);

    (void)tally;
    if (label == NULL)
        return 0;
    locklab_cipso_label_put(label);
    return 1;
}

static inline void client_validate(struct client *client, uint64_t turn,
                                   struct locklab_tally *tally)
{
    uint32_t bound = 1 + random_below(&client->random, VALIDATED_LABELS);
    uint32_t number = random_below(&client->random, bound);
    struct option option = option_of(number);
    struct locklab_cipso_label *label = receive(client, number);

    if (label == NULL)
        return;
    tally->torn += label->secid != translate(&option, 0);
    for (uint64_t i = 0; i < turn % 8; i++)
        locklab_pause();
    tally->torn += *(volatile uint32_t *)&label->secid != translate(&option, 0);
    locklab_cipso_label_put(label);
}

#include LOCKLAB_LOOP
