/* SPDX-License-Identifier: MIT */
/*
 * The records of clients on real threads: each operation, with tickets from one counter.
 *
 * Standard input is an order: the operations to do, and a nonce that no two runs share. Standard
 * output is one record for each operation, masked by a stream from the nonce, so forging a record
 * requires the nonce. Nothing is judged here; history.py judges the records outside.
 *
 * An interface's protocol.h defines what the clients do with them: client_begin() and client_end()
 * around all threads, and perform().
 */
#ifndef LOCKLAB_RECORDS_H
#define LOCKLAB_RECORDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "alone.h"
#include "drawn.h"

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

/* A submission's loop that waits calls it. */
void locklab_relax(void);

/* Deliberate mistakes of a client: the records differ from what happened. */
enum { TORN = 1, STALE, LOST };

#endif
