/* SPDX-License-Identifier: MIT */
/* What the clients on real threads do with an access vector cache. */
#ifndef LOCKLAB_AVC_PROTOCOL_H
#define LOCKLAB_AVC_PROTOCOL_H

#include "records.h"

void locklab_rcu_barrier(void);

#define TRY_INSERT avc_insert
#define TRY_LOOKUP avc_lookup
#define TRY_RECLAIM avc_reclaim
#define TRY_WAIT locklab_rcu_barrier
#include "keys.h"

enum operation { LOOKUP, INSERT, RECLAIM };

static void client_begin(void)
{
    avc_init();
    keys_draw(order.seed, true);
}

static void client_end(void)
{
    avc_destroy();
}

static void err(struct record *record, struct avc_decision *found, bool late)
{
    if (order.canary == TORN && late && record->result != 0)
        found->decided = word_of(record->key, found->seqno + 1, 1);
    if (order.canary == STALE && late && record->result != 0)
        *found = decision_of(record->key, found->seqno / 2);
}

/* Performs operation number `i` of a thread and records it. `version` counts its insertions. */
static void perform(unsigned thread, uint32_t i, uint64_t *random, unsigned *version)
{
    struct record *record = &records[(size_t)thread * order.operations + i];
    uint64_t draw = drawn(random);
    unsigned number = (unsigned)(draw >> 32) % order.keys;
    struct avc_decision decision = {0, 0, 0, 0};
    bool late = i > order.operations / 2;
    struct avc_key key;

    record->thread = (uint8_t)thread;
    record->operation = draw % 16 == 0 ? RECLAIM : draw % 16 < 5 ? INSERT : LOOKUP;
    if (record->operation == INSERT)
        number = number / order.threads * order.threads + thread; /* a key has one writer */
    record->key = (uint16_t)(record->operation == RECLAIM ? 0 : number);
    key = keys[number];
    record->began = ticket();
    if (record->operation == LOOKUP) {
        record->result = avc_lookup(&key, &decision);
        if (record->result == 0)
            decision = (struct avc_decision){0, 0, 0, 0};
        err(record, &decision, late);
    } else if (record->operation == INSERT) {
        decision = decision_of(number, ++*version);
        record->result = order.canary == LOST && late ? 1 : avc_insert(&key, &decision);
    } else {
        record->result = avc_reclaim();
    }
    record->ended = ticket();
    record->words[0] = decision.allowed;
    record->words[1] = decision.decided;
    record->words[2] = decision.auditallow;
    record->words[3] = decision.seqno;
}

#endif
