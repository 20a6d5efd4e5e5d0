/* SPDX-License-Identifier: MIT */
/*
 * C11's memory model: a machine of messages, the same as locksim.checker.models.c11's.
 *
 * A store does not replace the last one: it is a message, and the messages of a word stand in a
 * line, the modification order. A thread reads any message behind which it knows none, and puts a
 * store behind any such message. A read-modify-write stands directly behind the message that it
 * reads, and nothing comes between the two. This is the promise-free part of Kang, Hur, Lahav,
 * Vafeiadis and Dreyer's machine (POPL 2017): loads do not take effect after later stores of their
 * thread. Memory holds each word's last message, so that models and reports find it there.
 *
 * Who knows a message? Who knows its store, or a load that read it: by the clocks that races.c keeps.
 * What is released with a message is a clock, which who reads it acquires. SEQ_CST operations share
 * a clock and a count of their stores (Podkopaev, Sergey and Nanevski, 2016): a fence adds what its
 * thread knows to the clock, and takes over what is there. So a clock has two parts: what happens
 * before, which decides races, and what is known, which is more where fences passed it on.
 *
 * A release sequence is looked for when a message is read: by C++20 all that leads to it through
 * read-modify-writes; by C11 and C17 also stores of the thread that began it. Nothing is put into a
 * sequence that somebody has relied on in this run; who was first is then a matter of order.
 *
 * Which message is read, and behind which one a store is put, is a choice, and each is tried:
 * number 0 is the last one. docs/explain/explorer.md says why the reduction stays right.
 */
#include "explorer.h"

#define MAX_MESSAGES (1u << 13)
#define MAX_LINES (1u << 12)
#define MAX_CHOICES 128 /* a set of them is as large as one of agents */
#define GRAIN 16        /* an atomic lies within one */
#define NOBODY (-1)

struct message {
    value what;
    int before, after; /* it in its line; -1: none */
    uint32_t number;   /* in the order of this run; 0: was there before */
    int thread;        /* NOBODY: was there before */
    uint32_t when;     /* of the store, by its thread's clock */
    uint32_t total;    /* which SEQ_CST store it is, from 1; 0: none */
    int event;
    bool updates;  /* a read-modify-write of the one before */
    int root;      /* the store that updates lead back to: itself, unless it updates */
    bool relied;   /* who read on found the sequence go on here, by C11 and C17 */
    uint32_t read_by[MAX_THREADS]; /* the first time, and 1; 0: never */
    struct clock released;
};

struct line {
    address at;
    unsigned size;
    int next;  /* of the same grain; -1: none */
    int last;  /* message */
    bool over; /* the object is no more */
    uint32_t touched[MAX_THREADS]; /* by each thread the last time, and 1; 0: never */
};

struct grain {
    address at;
    uint64_t run;
    int lines;
};

static struct message messages[MAX_MESSAGES];
static struct line lines[MAX_LINES];
static struct grain grains[2 * MAX_LINES];
static unsigned n_messages, n_lines, n_grains;
static uint32_t numbered; /* messages of this run, but for those that were there before */
static uint32_t n_total;  /* SEQ_CST stores */
static struct clock total;
static uint64_t run;
static struct message *chosen; /* what the step that is under way has read */

/* Of each message: what is released from it back to its root; and where it is a root, what is from
 * the first of its thread's earlier heads to it. */
static struct clock chained[MAX_MESSAGES];
static struct {
    struct clock released;
    int first; /* -1: not looked for yet */
} own_heads[MAX_MESSAGES];

void ex_messages_begin(void)
{
    run++;
    n_messages = n_lines = n_grains = 0;
    numbered = n_total = 0;
    total = (struct clock){0};
}

uint32_t ex_messages_made(void)
{
    return numbered;
}

/* lines */

/* The grain of an address, or the place for it where it has not been used in this run. */
static struct grain *place_of(address at)
{
    unsigned i;

    at &= ~(address)(GRAIN - 1);
    i = (unsigned)(ex_mix(at, 3) % (2 * MAX_LINES));
    while (grains[i].run == run && grains[i].at != at)
        i = (i + 1) % (2 * MAX_LINES);
    return &grains[i];
}

static struct grain *grain_of(address at)
{
    struct grain *grain = place_of(at);

    if (grain->run != run) {
        if (++n_grains == MAX_LINES)
            ex_too_long("a run has atomics in more than %u places: make the test smaller",
                        MAX_LINES);
        *grain = (struct grain){at & ~(address)(GRAIN - 1), run, -1};
    }
    return grain;
}

static int lines_of(address at)
{
    const struct grain *grain = place_of(at);

    return grain->run == run ? grain->lines : -1;
}

static struct message *new_message(value what)
{
    if (n_messages == MAX_MESSAGES)
        ex_too_long("a run stores more than %u times: make the test smaller", MAX_MESSAGES);
    messages[n_messages] =
        (struct message){.what = what, .before = -1, .after = -1, .thread = NOBODY, .event = -1};
    messages[n_messages].root = (int)n_messages;
    chained[n_messages] = (struct clock){0};
    own_heads[n_messages].first = -1;
    return &messages[n_messages++];
}

static bool knows(const struct clock *clock, const struct message *message)
{
    if (message->thread == NOBODY || clock->known[message->thread] > message->when ||
        (message->total != 0 && message->total <= clock->fenced))
        return true;
    for (int i = 0; i < ex_threads_used; i++)
        if (message->read_by[i] != 0 && clock->known[i] >= message->read_by[i])
            return true;
    return false;
}

static bool overlaps(const struct line *line, address at, size_t size)
{
    return !line->over && line->at < at + size && at < line->at + line->size;
}

static struct line *line_of(address at, unsigned size)
{
    for (int i = lines_of(at); i >= 0; i = lines[i].next)
        if (!lines[i].over && lines[i].at == at && lines[i].size == size)
            return &lines[i];
    return NULL;
}

/* Do all accesses of the line happen before what the thread does now? */
static bool is_done_with(const struct line *line)
{
    for (int i = 0; i < ex_threads_used; i++)
        if (ex_self->now.at[i] < line->touched[i])
            return false;
    return true;
}

static struct line *new_line(address at, unsigned size)
{
    struct grain *grain = grain_of(at);
    struct line *line;

    for (int i = grain->lines; i >= 0; i = lines[i].next) {
        if (!overlaps(&lines[i], at, size))
            continue;
        if (!is_done_with(&lines[i]))
            ex_give_up("atomics of %u and %u bytes at the same place: C11 does not say what they "
                       "do, and the memory model c11 has no answer",
                       lines[i].size, size);
        lines[i].over = true;
    }
    if (n_lines == MAX_LINES)
        ex_too_long("a run has atomics in more than %u places: make the test smaller", MAX_LINES);
    line = &lines[n_lines];
    *line = (struct line){.at = at, .size = size, .next = grain->lines, .last = (int)n_messages};
    grain->lines = (int)n_lines++;
    new_message(ex_bytes(at, size));
    return line;
}

static struct line *line_made(address at, unsigned size, uint32_t when)
{
    struct line *line = line_of(at, size);

    if (line == NULL)
        line = new_line(at, size);
    else if (!is_done_with(line))
        ex_orders_contend(at);
    line->touched[ex_self->number] = when + 1;
    return line;
}

/* A plain write, or free(): who comes later finds what it leaves. */
void ex_messages_forget(address at, size_t size)
{
    if (n_lines == 0)
        return;
    for (address grain = at & ~(address)(GRAIN - 1); grain < at + size; grain += GRAIN)
        for (int i = lines_of(grain); i >= 0; i = lines[i].next)
            lines[i].over = lines[i].over || overlaps(&lines[i], at, size);
}

/* choices */

static bool is_taken(const struct message *message)
{
    return message->after >= 0 && messages[message->after].updates;
}

static bool is_relied_on(const struct message *message)
{
    return message->after >= 0 && messages[message->after].relied;
}

/* What an operation may read, or stand behind: the last message first. */
static unsigned choices(const struct thread *thread, const struct operation *next,
                        const struct line *line, struct message **found)
{
    bool passed = false, passed_total = false;
    unsigned n = 0;

    for (int i = line->last; i >= 0 && !passed; i = messages[i].before) {
        struct message *message = &messages[i];
        bool fails = next->effect == COMPARES &&
                     (message->what != next->expected || (next->weak && is_taken(message)));
        bool stands = next->effect != LOOKS && !fails;
        bool is_total = fails ? next->fails_total : next->total;

        if (!(is_total && passed_total) && !(stands && is_taken(message)) &&
            !(next->effect == STORES && is_relied_on(message))) {
            if (n == MAX_CHOICES)
                ex_too_long("an atomic operation can choose among more than %d values: make the "
                           "test smaller",
                           MAX_CHOICES);
            found[n++] = message;
        }
        passed = knows(&thread->now, message);
        passed_total = passed_total || passed || message->total != 0 || knows(&total, message);
    }
    return n;
}

bool ex_message_is_new(const struct thread *thread, uint32_t since)
{
    struct message *found[MAX_CHOICES];
    const struct line *line;
    unsigned n;

    if (!thread->next.message || thread->next.effect == STORES)
        return false;
    line = line_of(thread->next.at, thread->next.size);
    n = line != NULL ? choices(thread, &thread->next, line, found) : 0;
    for (unsigned i = 0; i < n; i++)
        if (found[i]->number > since)
            return true;
    return false;
}

static struct message *choose(const struct operation *operation, struct line *line)
{
    struct message *found[MAX_CHOICES];
    uint32_t since = operation->effect != STORES ? ex_search_since() : 0;
    unsigned n = choices(ex_self, operation, line, found);
    agents allowed = 0;

    for (unsigned i = 0; i < n; i++)
        if (since == 0 || found[i]->number >= since)
            allowed |= ex_agent((int)i);
    return found[ex_choose_among(n, 1, allowed)];
}

static unsigned how_far_behind(const struct message *message)
{
    unsigned n = 0;

    for (int i = message->after; i >= 0; i = messages[i].after)
        n++;
    return n;
}

/* what is released */

/* Updates follow each other without a gap, from the store that they lead back to. What they all
 * release is summed up when each is made, since nothing changes in such a chain. */

static void chain(const struct message *made, const struct message *before)
{
    int number = (int)(made - messages);

    chained[number] = made->released;
    if (made->updates)
        ex_clock_join(&chained[number], &chained[before - messages]);
}

/* By C11 and C17 earlier stores of the root's thread are heads of the sequence too. How far back they
 * have been found is kept: nothing is put between them any more (relied). */

static void find_own_heads(int root, int *breaker)
{
    int thread = messages[root].thread, at = own_heads[root].first, i;

    if (at < 0) {
        own_heads[root].released = messages[root].released;
        at = root;
    }
    for (i = messages[at].before; i >= 0 && messages[i].thread != NOBODY; i = messages[i].before) {
        struct message *head = &messages[i];
        bool is_root = !head->updates;

        if (is_root && head->thread != thread) {
            *breaker = head->event;
            break;
        }
        if (head->thread != thread)
            continue;
        for (; at != i; at = messages[at].before)
            messages[at].relied = messages[at].relied || !messages[at].updates;
        ex_clock_join(&own_heads[root].released, &head->released);
        if (is_root && own_heads[i].first >= 0) {
            ex_clock_join(&own_heads[root].released, &own_heads[i].released);
            at = i = own_heads[i].first;
        }
    }
    own_heads[root].first = at;
}

/* All heads of the release sequences that the message is part of. */
static void meet(const struct message *message, struct clock *into, int *breaker)
{
    if (message->thread == NOBODY)
        return;
    ex_clock_join(into, &chained[message - messages]);
    if (ex_options.cpp20 || messages[message->root].thread == NOBODY)
        return;
    find_own_heads(message->root, breaker);
    ex_clock_join(into, &own_heads[message->root].released);
}

/* operations */

value ex_message_read(const struct operation *operation)
{
    uint32_t when = ex_self->now.at[ex_self->number], *mark;
    struct line *line = line_made(operation->at, operation->size, when);

    chosen = choose(operation, line);
    mark = &chosen->read_by[ex_self->number];
    if (*mark == 0)
        *mark = when + 1;
    ex_event_message((int)(line - lines), chosen->event, chosen->what);
    return chosen->what;
}

bool ex_message_is_taken(void)
{
    return is_taken(chosen);
}

unsigned ex_message_meet(struct clock *into)
{
    int breaker = -1;

    meet(chosen, into, &breaker);
    if (breaker >= 0)
        ex_event_interrupted(breaker);
    return how_far_behind(chosen);
}

unsigned ex_message_put(const struct operation *operation, value what, const struct clock *released,
                        bool is_total)
{
    uint32_t when = ex_self->now.at[ex_self->number] - 1; /* the access was counted */
    struct line *line = line_made(operation->at, operation->size, when);
    bool updates = operation->effect != STORES;
    struct message *before, *made;
    int number;

    before = updates ? chosen : choose(operation, line);
    if (!updates)
        ex_event_message((int)(line - lines), -1, before->what);
    number = (int)n_messages;
    made = new_message(what);
    made->number = ++numbered;
    made->thread = ex_self->number;
    made->when = when;
    made->total = is_total ? ++n_total : 0;
    made->event = ex_event_now();
    made->updates = updates;
    made->released = *released;
    made->before = (int)(before - messages);
    made->root = updates ? before->root : number;
    chain(made, before);
    made->after = before->after;
    before->after = number;
    if (made->after >= 0)
        messages[made->after].before = number;
    else
        line->last = number;
    ex_event_stores(what, made->after >= 0 && !updates && !ex_options.cpp20);
    ex_memory_hash = ex_mix(ex_memory_hash, numbered); /* no earlier state comes back */
    if (made->after < 0)
        ex_arrive(ex_self, operation->at, operation->size, what);
    return how_far_behind(made);
}

void ex_messages_fence(void)
{
    struct clock *now = &ex_self->now;

    for (int i = 0; i < ex_threads_used; i++) {
        if (now->known[i] < total.known[i])
            now->known[i] = total.known[i];
        else
            total.known[i] = now->known[i];
    }
    now->fenced = n_total;
    total.fenced = n_total;
}
