/* SPDX-License-Identifier: MIT */
/*
 * Happens-before, and the data races that it leaves (C11 5.1.2.4).
 *
 * Each thread counts its accesses; its clock says how many accesses of every thread happen before
 * its next one. What is released into a place is a clock, which an acquiring load of that place
 * adds to its thread's own. Orders are honoured as written, though runs are sequentially
 * consistent: a store replaces what was released there (a relaxed one by what the last release
 * fence had seen), a read-modify-write adds to it, so that it carries the release sequences on,
 * a relaxed load keeps what it meets for the next acquire fence. A later store of the thread that
 * began a release sequence carries it on too by C11 and C17 (5.1.2.4), and ends it by C++20. The total order of SEQ_CST operations adds nothing: it orders no plain
 * accesses by itself.
 *
 * Two accesses to one byte race when one of them writes, not both are atomic, and neither happens
 * before the other. For each word the last accesses of each thread are kept, one for each kind and
 * bytes. So the first race of a run is found whatever its distance.
 */
#include <string.h>

#include "explorer.h"

#define TABLE (1u << 18)
#define RECORDS (1u << 20)

struct record { /* of an access */
    struct record *next;
    address pc;
    uint32_t when;
    uint8_t thread, bytes, access;
};

struct release { /* sequences that a thread began */
    struct release *next;
    struct clock clock;
    uint8_t bytes, thread;
};

struct cell { /* of an aligned word of 8 bytes */
    address word;
    uint64_t run; /* in which it was used last: other runs' contents do not count */
    struct record *records;
    struct release *releases;
    uint32_t atomic[8]; /* accesses to each byte */
};

static struct cell table[TABLE];
static struct record records[RECORDS];
static struct release releases[RECORDS / 8];
static unsigned used_records, used_releases, used_cells;
static uint64_t run;

void ex_races_begin(void)
{
    run++;
    used_records = used_releases = used_cells = 0;
}

void ex_clock_join(struct clock *into, const struct clock *other)
{
    for (int i = 0; i < ex_threads_used; i++)
        if (into->at[i] < other->at[i])
            into->at[i] = other->at[i];
    if (!ex_options.c11)
        return;
    for (int i = 0; i < ex_threads_used; i++)
        if (into->known[i] < other->known[i])
            into->known[i] = other->known[i];
    if (into->fenced < other->fenced)
        into->fenced = other->fenced;
}

static struct cell *cell_of(address word)
{
    unsigned at = (unsigned)(ex_mix(word, 1) % TABLE);

    while (table[at].run == run && table[at].word != word)
        at = (at + 1) % TABLE;
    if (table[at].run != run) {
        if (++used_cells > TABLE / 2)
            ex_give_up("a run touches more than %u words of memory: make the test smaller",
                       TABLE / 2);
        table[at] = (struct cell){.word = word, .run = run};
    }
    return &table[at];
}

/* Which of the word's bytes [at, at + size) touches. */
static uint8_t bytes_of(address word, address at, size_t size)
{
    unsigned from = at > word ? (unsigned)(at - word) : 0;
    unsigned to = at + size < word + 8 ? (unsigned)(at + size - word) : 8;

    return (uint8_t)((0xff << from) & (0xff >> (8 - to)));
}

static bool conflict(enum access a, enum access b)
{
    bool atomic =
        (a == ATOMIC_READS || a == ATOMIC_WRITES) && (b == ATOMIC_READS || b == ATOMIC_WRITES);
    bool reads = (a == READS || a == ATOMIC_READS) && (b == READS || b == ATOMIC_READS);

    return !atomic && !reads;
}

_Noreturn static void race(const struct record *before, address at, size_t size, enum access access)
{
    static const char *const did[] = {"reads", "writes", "reads (atomically)",
                                      "writes (atomically)", "frees"};
    static const char *const as_step[] = {"read", "write", "load", "store", "free"};

    ex_step(as_step[access], at, (unsigned)size, ex_peek(at, size), ex_peek(at, size));
    ex_fail("race",
            "thread %d %s {at:%zx} at {pc:%zx}, and thread %d %s it at {pc:%zx}: nothing orders "
            "the two (a data race)",
            ex_self->number, did[access], at, ex_self->pc, before->thread, did[before->access],
            before->pc);
}

static void access_word(struct cell *cell, uint8_t bytes, address at, size_t size,
                        enum access access)
{
    struct record *mine = NULL;
    int me = ex_self->number;

    for (struct record *r = cell->records; r != NULL; r = r->next) {
        if (r->thread == me) {
            if (r->access == access && r->bytes == bytes)
                mine = r;
        } else if ((r->bytes & bytes) && conflict(r->access, access) &&
                   r->when >= ex_self->now.at[r->thread]) {
            race(r, at, size, access);
        }
    }
    if (mine == NULL) {
        if (used_records == RECORDS)
            ex_give_up("a run makes more than %u accesses that have to be remembered: make the "
                       "test smaller",
                       RECORDS);
        mine = &records[used_records++];
        *mine = (struct record){.next = cell->records,
                                .thread = (uint8_t)me,
                                .bytes = bytes,
                                .access = (uint8_t)access};
        cell->records = mine;
    }
    mine->when = ex_self->now.at[me];
    mine->pc = ex_self->pc;
}

void ex_count_write(address at)
{
    if (ex_on_a_stack(at))
        return;
    ex_self->writes++;
    ex_self->wrote_at = ex_self->pc;
}

void ex_access(address at, size_t size, enum access access)
{
    if (access == WRITES || access == ATOMIC_WRITES) {
        ex_confine_write(at, size);
        ex_count_write(at);
    }
    if (access != FREES)
        ex_heap_check(at, size, access == WRITES || access == ATOMIC_WRITES);
    if (access != ATOMIC_WRITES) /* which come when they reach memory */
        ex_stack_access(ex_self, at, size, access == WRITES);
    if (ex_is_sole()) /* nothing races with it */
        return;
    for (address word = at & ~(address)7; word < at + size; word += 8)
        access_word(cell_of(word), bytes_of(word, at, size), at, size, access);
    if (ex_options.c11 && (access == WRITES || access == FREES))
        ex_messages_forget(at, size);
    /* What is released from now on covers this access. */
    ex_self->now.known[ex_self->number] = ++ex_self->now.at[ex_self->number];
}

void ex_meet(address at, unsigned size, struct clock *into)
{
    if (ex_is_sole())
        return;
    for (address word = at & ~(address)7; word < at + size; word += 8) {
        uint8_t bytes = bytes_of(word, at, size);

        for (struct release *r = cell_of(word)->releases; r != NULL; r = r->next)
            if (r->bytes & bytes)
                ex_clock_join(into, &r->clock);
    }
}

static struct release *release_of(struct cell *cell, uint8_t bytes, const struct thread *by)
{
    struct release *unused = NULL;

    for (struct release *r = cell->releases; r != NULL; r = r->next) {
        if (r->bytes == bytes && r->thread == by->number)
            return r;
        if (r->bytes == 0)
            unused = r; /* nothing of it is left: its record can be used again */
    }
    if (unused == NULL) {
        if (used_releases == RECORDS / 8)
            ex_give_up("a run releases into too many places: make the test smaller");
        unused = &releases[used_releases++];
        unused->next = cell->releases;
        cell->releases = unused;
    }
    unused->bytes = bytes;
    unused->thread = (uint8_t)by->number;
    unused->clock = (struct clock){0};
    return unused;
}

void ex_publish(const struct thread *by, address at, unsigned size, const struct clock *clock,
                bool is_update)
{
    if (ex_is_sole())
        return;
    for (address word = at & ~(address)7; word < at + size; word += 8) {
        struct cell *cell = cell_of(word);
        uint8_t bytes = bytes_of(word, at, size);

        for (struct release *r = cell->releases; !is_update && r != NULL; r = r->next)
            if (ex_options.cpp20 || r->thread != by->number)
                r->bytes &= (uint8_t)~bytes;
        ex_clock_join(&release_of(cell, bytes, by)->clock, clock);
    }
}

uint32_t ex_count(address at, unsigned size)
{
    uint32_t sum = 0;

    if (ex_is_sole())
        return 0;
    for (address word = at & ~(address)7; word < at + size; word += 8) {
        struct cell *cell = cell_of(word);

        for (unsigned i = 0; i < 8; i++)
            if (bytes_of(word, at, size) >> i & 1)
                sum += ++cell->atomic[i];
    }
    return sum;
}
