/* SPDX-License-Identifier: MIT */
/*
 * The records of clients on real threads: each operation, with tickets from one counter.
 *
 * Standard input is an order: the operations to do, and a nonce that no two runs share. Standard
 * output is one record for each operation, masked by a stream from the nonce, so forging a record
 * requires the nonce. Nothing is judged here; history.py judges the records outside.
 */
#ifndef LOCKLAB_AVC_PROTOCOL_H
#define LOCKLAB_AVC_PROTOCOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "client.h"

enum operation { LOOKUP, INSERT, RECLAIM };

struct order {
    uint64_t nonce[2];
    uint32_t threads, operations; /* of each thread */
    uint32_t keys, canary;
    uint64_t seed;
};

struct record {
    uint32_t began, ended; /* tickets: every ticket is in one record, once */
    uint8_t thread, operation;
    uint16_t key;
    uint32_t result; /* found, inserted; number of removed entries */
    uint32_t words[4];
};

_Static_assert(sizeof(struct order) == 40 && sizeof(struct record) == 32, "history.py's layout");

static struct order order;
static struct record *records;
static _Atomic(uint32_t) next_ticket;

static inline uint32_t ticket(void)
{
    return atomic_fetch_add(&next_ticket, 1);
}

static void read_order(void)
{
    size_t got = 0;

    while (got < sizeof(order)) {
        ssize_t n = read(0, (char *)&order + got, sizeof(order) - got);

        if (n <= 0)
            _exit(2);
        got += (size_t)n;
    }
    records = calloc((size_t)order.threads * order.operations, sizeof(*records));
    if (records == NULL)
        _exit(2);
}

static void write_records(void)
{
    size_t size = (size_t)order.threads * order.operations * sizeof(*records), done = 0;
    uint64_t *word = (uint64_t *)(void *)records;

    for (size_t i = 0; i < size / sizeof(*word); i++)
        word[i] ^= mixed(order.nonce[0] + i * 0x9e3779b97f4a7c15u) ^ order.nonce[1];
    while (done < size) {
        ssize_t n = write(1, (char *)records + done, size - done);

        if (n <= 0)
            _exit(2);
        done += (size_t)n;
    }
}

/* Deliberate mistakes of a client: the records differ from what happened. */
enum { TORN = 1, STALE, LOST };

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
    key = key_of(number);
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
