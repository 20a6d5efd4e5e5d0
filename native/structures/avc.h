/* SPDX-License-Identifier: MIT */
/*
 * The access vector cache as a kernel: included after one of its five designs.
 *
 * throughput. Each thread checks one permission again and again, as rcutest does. The mix:
 *   think         turns between two checks
 *   hold          turns that the security server computes for a miss
 *   write_share   of 65536 operations, updates: a further bit is granted
 *   option        misses in 65536 checks (0 to 65535) + SUBJECT_STORE_USED + SUBJECT_OWN_KEY
 *
 * validate. Checks of 1024 keys, low ones more often, so that searches walk chains and the hand has
 * to reclaim; one operation in 16 is an update; thread 0 loads a new policy now and then. Every
 * answer must be the server's for its key, of a policy no older than the last whose reset had ended
 * before; the number of entries is bounded; and who counts what is in the chains in the
 * end finds what was put in less what was taken out.
 */
#include <stdlib.h>

#include "structures/random.h"
#include "structures/subject.h"

/* Of 65536 checks, in the low bits of the option: misses. */
#define AVC_MISSES 0xffff

/* Keys that are asked for once: the cache is unlikely to know them. */
#define STRANGERS (UINT32_C(1) << 24)

#define VALIDATED_KEYS 1024
#define POLICY_EVERY 1024

/* More entries than slots: reclaiming has stopped working. Between this and the threshold are
 * those who insert at this moment. */
#define TOO_MANY LOCKLAB_AVC_SLOTS

struct seat {
    _Alignas(LOCKLAB_PAD) struct subject subject;
};

struct state {
    struct locklab_avc avc;
    _Alignas(LOCKLAB_PAD) _Atomic(uint32_t) policy; /* what the server decides by */
    _Atomic(uint32_t) in_force;                     /* the last policy whose reset has ended */
    unsigned threads;
    struct seat seats[];
};

struct client {
    struct state *state;
    struct subject *subject;
    struct random random;
    unsigned thread;
    uint32_t misses;
    uint32_t updates;
};

static void *prepare(unsigned threads)
{
    struct state *state =
        aligned_alloc(LOCKLAB_PAD, sizeof(struct state) + threads * sizeof(struct seat));

    if (state == NULL)
        return NULL;
    locklab_avc_init(&state->avc);
    atomic_init(&state->policy, 1);
    atomic_init(&state->in_force, 1);
    state->threads = threads;
    for (unsigned i = 0; i < threads; i++)
        state->seats[i].subject = (struct subject){0};
    return state;
}

static void dispose(void *arg)
{
    struct state *state = arg;

    locklab_avc_destroy(&state->avc);
    free(state);
}

/* Entries that are there, and those that were taken out. */
static uint64_t updates(const void *arg)
{
    /* Counting changes nothing, but searches, which hand out links to be changed. */
    struct state *state = (struct state *)(uintptr_t)arg;
    uint64_t entries = locklab_avc_count(state->avc.chains);

    for (unsigned i = 0; i < state->threads; i++)
        entries += state->seats[i].subject.client.frees;
    return entries;
}

static inline void client_init(struct client *client, struct state *state, unsigned thread,
                               const struct locklab_order *order)
{
    *client = (struct client){
        .state = state,
        .subject = &state->seats[thread].subject,
        .thread = thread,
        .misses = order->mix.option & AVC_MISSES,
        .updates = order->mix.write_share,
    };
    subject_init(client->subject, &state->policy, thread, &order->mix);
    random_init(&client->random, order->mix.seed, thread);
    if (!locklab_avc_enter_thread())
        abort(); /* no memory, in the middle of a run */
}

static inline void client_leave(struct client *client, struct locklab_tally *tally)
{
    locklab_avc_leave_thread();
    tally->writes = client->subject->client.allocations;
}

static inline void update(struct client *client, const struct locklab_avc_key *key)
{
    locklab_avc_update(&client->state->avc, &client->subject->client, key,
                       random_next(&client->random) & GRANTABLE);
}

static inline uint64_t client_operate(struct client *client, struct locklab_tally *tally)
{
    struct locklab_avc *avc = &client->state->avc;
    struct locklab_avc_key key = client->subject->key;

    (void)tally;
    if (client->misses > 0 && random_happens(&client->random, client->misses))
        key.tsid = random_below(&client->random, STRANGERS);
    if (client->updates > 0 && random_happens(&client->random, client->updates))
        update(client, &key);
    else
        subject_check(client->subject, avc, &key);
    return 1;
}

/* Low keys more often: uniform below a uniform bound. */
static inline struct locklab_avc_key some_key(struct random *random)
{
    uint32_t number = random_below(random, 1 + random_below(random, VALIDATED_KEYS));

    return (struct locklab_avc_key){1 + number % 32, 1 + number / 32, SUBJECT_TCLASS};
}

static inline void load_policy(struct client *client)
{
    struct state *state = client->state;
    uint32_t seqno = 1 + atomic_load_explicit(&state->policy, memory_order_relaxed);

    atomic_store_explicit(&state->policy, seqno, memory_order_release);
    locklab_avc_reset(&state->avc, &client->subject->client, seqno);
    atomic_store_explicit(&state->in_force, seqno, memory_order_release);
}

static inline void client_validate(struct client *client, uint64_t turn,
                                   struct locklab_tally *tally)
{
    struct locklab_avc *avc = &client->state->avc;
    struct locklab_avc_key key = some_key(&client->random);
    struct locklab_avc_decision decision;
    uint32_t oldest, denied;

    if (client->thread == 0 && turn % POLICY_EVERY == POLICY_EVERY - 1)
        load_policy(client);
    if (turn % 16 == 15) {
        update(client, &key);
        return;
    }
    oldest = atomic_load_explicit(&client->state->in_force, memory_order_acquire);
    denied = locklab_avc_has_perm(avc, &client->subject->client, &key, ALL_BITS, &decision);
    tally->torn += !decision_is_right(&key, &decision) || denied != ~decision.allowed;
    tally->torn += decision.seqno < oldest;
    tally->overlaps += locklab_avc_active(avc) > TOO_MANY;
}
