/* SPDX-License-Identifier: MIT */
/*
 * Which run comes next.
 *
 * A run is determined by its choices: at each point where more than one thing can happen, the
 * number of the one that did. 0 is what costs nothing: the thread that runs goes on, the store
 * reaches memory at once. A deviation costs 1: to interrupt a thread that could go on (a
 * preemption), to let a store linger in its buffer. Where the thread waits or has ended, any other
 * may go on for free.
 *
 * Depth first, with a bound on the deviations of a run that grows from 0 (Musuvathi and Qadeer,
 * PLDI 2007: most errors need few preemptions; and what is found first needs the fewest). When a
 * round left nothing out for its bound, all runs have been seen, whatever the bound.
 *
 * At random, PCT (Burckhardt and others, ASPLOS 2010): threads have random priorities, the highest
 * that can runs, and at depth - 1 random moments the one that runs gets the lowest. A run finds an
 * error of that depth with a probability of at least 1 / (threads * steps^(depth - 1)).
 *
 * Choices are told as "position:number", positions being counted over the choices that there are;
 * those not told are 0. Any run can be had again from them.
 */
#include <stdlib.h>
#include <string.h>

#include "explorer.h"

#define MAX_CHOICES (1u << 16)
#define MAX_OPTIONS 40

struct decision {
    uint8_t n, taken;
    uint8_t costs[MAX_OPTIONS];
    unsigned spent;     /* before it */
    uint64_t signature; /* of what there was to choose, and where */
};

static struct decision decisions[MAX_CHOICES];
static unsigned n_decisions; /* of this run so far */
static unsigned n_prefix;    /* that are given */
static unsigned spent, bound;
static bool cut; /* this round left something out */
static uint64_t run;
static uint64_t random_state;

/* of the random search */
static uint64_t n_points, longest_run = 100, change_points[64], lowest;

uint64_t ex_random(void)
{
    random_state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    return ex_mix(random_state, 0);
}

static void read_choices(const char *text)
{
    unsigned long last = 0;

    while (*text != '\0') {
        char *end;
        unsigned long at = strtoul(text, &end, 10), number;

        if (end == text || *end != ':')
            break;
        text = end + 1;
        number = strtoul(text, &end, 10);
        if (end == text || at >= MAX_CHOICES || number >= MAX_OPTIONS || at < last)
            break;
        last = at;
        decisions[at].taken = (uint8_t)number;
        n_prefix = (unsigned)at + 1;
        text = *end == ',' ? end + 1 : end;
    }
    if (*text != '\0')
        ex_give_up("the choices end in '%s': take them as they were printed, such as 12:1,40:2",
                   text);
}

void ex_search_begin(void)
{
    if (ex_options.replay != NULL)
        read_choices(ex_options.replay);
}

void ex_search_run_begins(void)
{
    n_decisions = 0;
    spent = 0;
    if (ex_options.pct_depth == 0)
        return;
    if (n_points > longest_run)
        longest_run = n_points;
    n_points = 0;
    random_state = ex_mix(ex_options.seed, run);
    lowest = MAX_THREADS * 4;
    for (int i = 0; i < ex_options.pct_depth - 1; i++)
        change_points[i] = ex_random() % longest_run;
}

void ex_priority_new(struct thread *thread)
{
    thread->priority = ex_random() | (uint64_t)1 << 63;
}

static unsigned choose_at_random(const struct choice *choices, unsigned n)
{
    unsigned best = 0;

    if (choices[0].agent < 0)
        return (unsigned)(ex_random() % n);
    for (int i = 0; i < ex_options.pct_depth - 1; i++)
        if (change_points[i] == n_points)
            ex_threads[choices[0].agent].priority = --lowest;
    n_points++;
    for (unsigned i = 1; i < n; i++)
        if (ex_threads[choices[i].agent].priority > ex_threads[choices[best].agent].priority)
            best = i;
    return best;
}

static const char differs[] = "the program behaves differently when it is run again in the same "
                              "order: it depends on something "
                              "besides its threads (time, files, memory that was never written)";

static uint64_t signature_of(const struct choice *choices, unsigned n)
{
    uint64_t signature = ex_mix(ex_self->pc, n);

    for (unsigned i = 0; i < n; i++)
        signature = ex_mix(signature, (uint64_t)choices[i].agent);
    return signature;
}

unsigned ex_choose(const struct choice *choices, unsigned n)
{
    struct decision *decision;
    uint64_t signature;

    if (n == 1)
        return 0;
    if (n_decisions == MAX_CHOICES)
        ex_give_up("a run has more than %u choices: make the test smaller", MAX_CHOICES);
    if (n > MAX_OPTIONS)
        ex_give_up("%u possibilities at one point are too many", n);
    decision = &decisions[n_decisions];
    signature = signature_of(choices, n);
    if (n_decisions < n_prefix) {
        if (ex_options.replay == NULL && decision->signature != signature)
            ex_give_up("%s", differs);
        if (decision->taken >= n)
            ex_give_up("the choices do not belong to this program with these options");
    } else {
        decision->taken = 0;
        if (ex_options.pct_depth > 0)
            decision->taken = (uint8_t)choose_at_random(choices, n);
    }
    decision->n = (uint8_t)n;
    decision->signature = signature;
    decision->spent = spent;
    for (unsigned i = 0; i < n; i++)
        decision->costs[i] = (uint8_t)choices[i].cost;
    spent += choices[decision->taken].cost;
    n_decisions++;
    return decision->taken;
}

/* The last decision that can still be taken otherwise within the bound is. */
static bool next_depth_first(void)
{
    while (n_decisions > 0) {
        struct decision *last = &decisions[n_decisions - 1];

        while (++last->taken < last->n) {
            if (last->spent + last->costs[last->taken] <= bound) {
                n_prefix = n_decisions;
                return true;
            }
            cut = true;
        }
        n_decisions--;
    }
    return false;
}

void ex_search_run_ends(void)
{
    if (ex_options.replay == NULL && n_decisions < n_prefix)
        ex_give_up("%s", differs);
}

bool ex_search_next(void)
{
    run++;
    if (ex_options.replay != NULL)
        return false;
    if (ex_options.pct_depth > 0)
        return run < ex_options.runs;
    if (next_depth_first())
        return true;
    if (!cut || bound == (unsigned)ex_options.preemptions)
        return false;
    bound++;
    cut = false;
    n_prefix = 0;
    return true;
}

bool ex_search_complete(void)
{
    return ex_options.pct_depth == 0 && ex_options.replay == NULL && !cut;
}

int ex_search_bound(void)
{
    return (int)bound;
}

void ex_choices_print(int fd)
{
    const char *comma = "";

    for (unsigned i = 0; i < n_decisions; i++)
        if (decisions[i].taken != 0) {
            ex_print(fd, "%s%u:%u", comma, i, decisions[i].taken);
            comma = ",";
        }
}
