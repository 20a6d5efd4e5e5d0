/* SPDX-License-Identifier: MIT */
/*
 * What the clients on real threads do with a lock: sections that write four words of one version, and
 * sections that read them. An interface's calls.h defines acquire() and release(); where it has
 * readers, READS(me, record) is how one of them reads the words.
 *
 * WORD is the type of a word, and LOAD and STORE its accesses: plain, so that ThreadSanitizer finds
 * an order that is missing, or relaxed where readers and a writer overlap.
 */
#ifndef LOCKLAB_GUARDED_H
#define LOCKLAB_GUARDED_H

#include "records.h"

#ifndef WORD
#define WORD uint32_t
#define LOAD(word) (word)
#define STORE(word, value) ((word) = (value))
#endif

enum operation { WRITE, READ };

static WORD guarded[4];

static uint32_t guarded_word(uint32_t version, unsigned which)
{
    return which < 3 ? word_of(0, version, which) : version;
}

static void client_begin(void)
{
    lock_init();
    wear_alone(order.seed, order.threads, use);
    for (unsigned i = 0; i < 4; i++)
        STORE(guarded[i], guarded_word(0, i));
}

static void client_end(void) {}

static void write_words(struct record *record, bool lost)
{
    uint32_t version = LOAD(guarded[3]) + 1;

    for (unsigned i = 0; i < 4; i++) {
        record->words[i] = guarded_word(version, i);
        if (!lost)
            STORE(guarded[i], record->words[i]);
    }
}

static inline void read_words(struct record *record)
{
    for (unsigned i = 0; i < 4; i++)
        record->words[i] = LOAD(guarded[i]);
}

/* Performs operation number `i` of a thread and records it. `version` is not used. */
static void perform(unsigned thread, uint32_t i, uint64_t *random, unsigned *version)
{
    struct record *record = &records[(size_t)thread * order.operations + i];
    uint64_t draw = drawn(random);
    bool late = i > order.operations / 2;

    (void)version;
    record->thread = (uint8_t)thread;
    record->operation = WRITE;
#ifdef READS
    record->operation = draw % 4 == 0 ? WRITE : READ;
    if (record->operation == READ)
        READS(thread, record);
#else
    (void)draw;
#endif
    if (record->operation == WRITE) {
        acquire(thread);
        record->began = ticket();
        write_words(record, order.canary == LOST && late);
        record->ended = ticket();
        release(thread);
    }
    record->result = record->words[3];
    if (order.canary == TORN && late)
        record->words[1]++;
    if (order.canary == STALE && late)
        record->result = record->words[3] /= 2;
}

#endif
