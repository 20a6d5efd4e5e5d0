/* SPDX-License-Identifier: MIT */
/*
 * Which atomic operations follow which in a thread: for the limits of a proof under c11.
 *
 * The machine of messages takes the operations of a thread in program order. C11 is weaker, and where
 * that matters is decided outside (locksim.checker.program_order), from what is noted here over all
 * runs: each atomic operation (its place, its thread, what it is), the words that it has touched, the
 * operations that came later, and, of a relaxed load, the relaxed stores that came later without a
 * synchronisation between the two. A word counts when two accesses to it met that no happens-before
 * orders.
 *
 * A store that depends on a load does not overtake it. The program's text does not tell which one does,
 * but its runs may: a thread that has read the same otherwise, and another value by this load, does
 * something else next. That depends on the load, and so does the store that it is, or is not. Where no
 * two runs show it, the store counts as independent. So a limit may be named although a dependency
 * keeps the two in order, and none is left out.
 */
#include <string.h>

#include "explorer.h"

#define MAX_ACCESSES 2048
#define MAX_WORDS 512 /* the last one stands for all further ones */
#define MAX_WATCHED 16 /* loads of a thread: of further ones no dependence is noticed */
#define CONTINUATIONS (1u << 16)
#define BITS(n) ((n) / 64)
#define NONE MAX_ACCESSES

struct atomic_access {
    address pc;
    int thread;
    enum order order;
    bool reads, writes; /* neither: a fence */
    uint64_t words[BITS(MAX_WORDS)];
    uint64_t later[BITS(MAX_ACCESSES)], overtaking[BITS(MAX_ACCESSES)];
};

/* A load, and what its thread has read before it and since, but for what it has read itself. */
struct watched {
    unsigned load;
    bool is_new;
    bool is_overtaken; /* by a later relaxed store, unless that depends on it */
    value found;
    uint64_t otherwise;
    int last; /* continuation; -1: none */
};

/* What a thread did next. */
struct continuation {
    uint64_t otherwise, what;
    value found;
    int before;    /* the one before it, since the load; -1: none */
    bool depends;  /* on what the load has found: another run has gone on in another way */
    unsigned load; /* which it overtakes by the store; NONE: none */
    unsigned store;
};

static struct atomic_access accesses[MAX_ACCESSES];
static unsigned n_accesses;
static struct {
    address at;
    bool is_contended;
} words[MAX_WORDS];
static unsigned n_words;

/* In this run, by each thread: */
static uint64_t past[MAX_THREADS][BITS(MAX_ACCESSES)];
static struct watched watched[MAX_THREADS][MAX_WATCHED]; /* since it last synchronised */
static uint64_t unwatched[MAX_THREADS][BITS(MAX_ACCESSES)]; /* further loads */
static unsigned n_watched[MAX_THREADS];
static uint64_t history[MAX_THREADS]; /* of all that it has read */

static struct continuation continuations[CONTINUATIONS];
static unsigned n_continuations;

void ex_orders_begin(void)
{
    memset(past, 0, sizeof(past));
    memset(unwatched, 0, sizeof(unwatched));
    memset(n_watched, 0, sizeof(n_watched));
    memset(history, 0, sizeof(history));
}

static void put(uint64_t *set, unsigned number)
{
    set[number / 64] |= (uint64_t)1 << number % 64;
}

static bool is_in(const uint64_t *set, unsigned number)
{
    return set[number / 64] >> number % 64 & 1;
}

static unsigned word_of(address at)
{
    for (unsigned i = 0; i < n_words; i++)
        if (words[i].at == at)
            return i;
    if (n_words == MAX_WORDS)
        return MAX_WORDS - 1;
    words[n_words].at = at;
    return n_words++;
}

static unsigned access_of(const struct atomic_access *access)
{
    for (unsigned i = 0; i < n_accesses; i++)
        if (accesses[i].pc == access->pc && accesses[i].thread == access->thread &&
            accesses[i].order == access->order && accesses[i].reads == access->reads &&
            accesses[i].writes == access->writes)
            return i;
    if (n_accesses == MAX_ACCESSES)
        ex_too_long("threads have atomic operations at more than %u places: make the test smaller",
                    MAX_ACCESSES);
    accesses[n_accesses] = *access;
    return n_accesses++;
}

/* Adds a later operation to all of a set. */
static void follow(const uint64_t *set, unsigned number, bool overtakes)
{
    for (unsigned i = 0; i < BITS(MAX_ACCESSES); i++)
        for (uint64_t left = set[i]; left != 0; left &= left - 1) {
            struct atomic_access *access = &accesses[64 * i + (unsigned)__builtin_ctzll(left)];

            put(overtakes ? access->overtaking : access->later, number);
        }
}

void ex_orders_contend(address at)
{
    words[word_of(at)].is_contended = true;
}

/* dependence */

/* The continuation after what a load's thread has read otherwise, or the place for it. */
static struct continuation *continuation_of(const struct watched *load)
{
    unsigned at = (unsigned)(load->otherwise % CONTINUATIONS);

    while (continuations[at].otherwise != 0 && continuations[at].otherwise != load->otherwise)
        at = (at + 1) % CONTINUATIONS;
    return &continuations[at];
}

/* Its thread goes on after a load. False: not as in another run, in which it has read another value. */
static bool goes_on(struct watched *load, uint64_t what, unsigned store)
{
    struct continuation *now = continuation_of(load);

    if (now->otherwise == 0) {
        if (++n_continuations > CONTINUATIONS / 2) {
            n_continuations--;
            if (store != NONE)
                put(accesses[load->load].overtaking, store);
            return true;
        }
        *now = (struct continuation){load->otherwise, what, load->found, load->last, false, NONE, NONE};
    } else if (now->what != what && now->found != load->found) {
        now->depends = true;
        return false;
    }
    if (now->what == what && load->is_overtaken && store != NONE) {
        now->load = load->load;
        now->store = store;
    }
    load->last = (int)(now - continuations);
    load->otherwise = ex_mix(load->otherwise, what) | 1; /* 0: none */
    return true;
}

/* `store`: a relaxed one; NONE: something else. */
static void go_on(int thread, uint64_t what, unsigned store)
{
    unsigned n = 0;

    for (unsigned i = 0; i < n_watched[thread]; i++)
        if (goes_on(&watched[thread][i], what, store))
            watched[thread][n++] = watched[thread][i];
    n_watched[thread] = n;
    if (store != NONE)
        follow(unwatched[thread], store, true);
}

static void watch(int thread, unsigned number, address at, value found, bool is_overtaken)
{
    uint64_t key = ex_mix(ex_mix(history[thread], accesses[number].pc), at + (address)thread);

    if (n_watched[thread] < MAX_WATCHED)
        watched[thread][n_watched[thread]++] =
            (struct watched){number, true, is_overtaken, found, key | 1, -1};
    else if (is_overtaken)
        put(unwatched[thread], number);
}

/* The stores that overtake a load whatever it finds. */
static void settle_overtaking(void)
{
    for (unsigned i = 0; i < CONTINUATIONS; i++) {
        const struct continuation *one = &continuations[i];
        bool depends = one->depends;

        if (one->otherwise == 0 || one->load == NONE)
            continue;
        for (int before = one->before; !depends && before >= 0; before = continuations[before].before)
            depends = continuations[before].depends;
        if (!depends)
            put(accesses[one->load].overtaking, one->store);
    }
}

void ex_orders_see(int thread, uint64_t what, bool is_all)
{
    static uint64_t unseen;
    uint64_t seen = is_all ? what : ++unseen;

    history[thread] = ex_mix(history[thread], seen);
    for (unsigned i = 0; i < n_watched[thread]; i++)
        if (watched[thread][i].is_new)
            watched[thread][i].is_new = false;
        else
            watched[thread][i].otherwise = ex_mix(watched[thread][i].otherwise, seen) | 1;
}

/* operations */

static void close_loads(int thread)
{
    memset(unwatched[thread], 0, sizeof(unwatched[thread]));
    n_watched[thread] = 0;
}

void ex_orders_synchronise(void)
{
    int thread = ex_self->number;

    go_on(thread, ex_self->pc, NONE);
    close_loads(thread);
}

void ex_orders_add(const struct operation *operation, enum order order, value found, value put_there,
                   bool writes)
{
    int thread = ex_self->number;
    bool is_fence = operation->effect == NOTHING, reads = !is_fence && operation->effect != STORES;
    bool is_relaxed = order == RELAXED && !is_fence;
    unsigned number = access_of(&(struct atomic_access){
        .pc = ex_self->pc, .thread = thread, .order = order, .reads = reads, .writes = writes});
    uint64_t what = ex_mix(ex_self->pc, operation->at);

    if (!is_fence)
        put(accesses[number].words, word_of(operation->at));
    go_on(thread, reads ? what : ex_mix(what, (uint64_t)put_there),
          is_relaxed && writes ? number : NONE);
    if (!is_relaxed)
        close_loads(thread);
    if (reads && (is_relaxed || operation->effect == COMPARES))
        watch(thread, number, operation->at, found, is_relaxed);
    follow(past[thread], number, false);
    put(past[thread], number);
}

/* JSON */

static void print_numbers(int fd, const char *name, const uint64_t *set, unsigned n, bool are_words)
{
    const char *comma = "";

    ex_print(fd, ", \"%s\": [", name);
    for (unsigned i = 0; i < n; i++)
        if (is_in(set, i) && (!are_words || words[i].is_contended)) {
            ex_print(fd, "%s%zu", comma, are_words ? (size_t)words[i].at : (size_t)i);
            comma = ", ";
        }
    ex_print(fd, "]");
}

void ex_orders_print(int fd)
{
    settle_overtaking();
    for (unsigned i = 0; i < n_accesses; i++) {
        const struct atomic_access *access = &accesses[i];

        ex_print(fd, "%s{\"pc\": %zu, \"thread\": %d, \"order\": %d, \"reads\": %s, \"writes\": %s",
                 i > 0 ? ",\n" : "", access->pc, access->thread, access->order,
                 access->reads ? "true" : "false", access->writes ? "true" : "false");
        print_numbers(fd, "words", access->words, n_words, true);
        print_numbers(fd, "later", access->later, n_accesses, false);
        print_numbers(fd, "overtaking", access->overtaking, n_accesses, false);
        ex_print(fd, "}");
    }
}
