/* SPDX-License-Identifier: MIT */
/*
 * Which run comes next.
 *
 * A run is determined by its choices: at each point where more than one agent can go on, which of
 * them did; and each number that locklab_any() or a model asked for. Choice 0 is the default: the
 * thread that took the last step goes on.
 *
 * The complete search goes depth first. At each point it tries the agents that events.c adds,
 * since another order of steps that depend on each other begins with them; an agent whose runs
 * from here are done sleeps until a step depends on its next one (Godefroid, LNCS 1032, 1996). When
 * nothing is left to try, some order of each set of equivalent runs has been seen.
 *
 * The bounded search is for errors, and proves nothing. A deviation costs 1: to interrupt a thread
 * that could go on (a preemption), to let a store linger in its buffer. The bound grows from 0
 * (Musuvathi and Qadeer, PLDI 2007: most errors need few preemptions; and what is found first needs
 * the fewest). When the runs or steps that may be made are used up, the last bound that was searched
 * to its end counts, if it is above 0.
 *
 * At random, PCT (Burckhardt and others, ASPLOS 2010): agents have random priorities, the highest
 * that can runs, and at depth - 1 random moments the one that runs gets the lowest. A run finds an
 * error of that depth with a probability of at least 1 / (threads * steps^(depth - 1)).
 *
 * A run that is too long ends the complete search, and no proof comes of it. For some time short runs
 * are made instead, all of one length and then twice as long ones: an error in a short run is found
 * even if a loop has no end.
 *
 * Choices are printed as "position:number", positions being counted over the choices that there
 * are; those not printed are 0. Any run can be had again from them.
 */
#include <stdlib.h>
#include <string.h>

#include "explorer.h"

#define MAX_CHOICES (1u << 17)

struct node {
    bool is_data; /* a number, not an agent */
    bool goes_on; /* the thread that took the last step could go on for free */
    bool only_default; /* the others lead to runs that are made anyway (reached.c) */
    uint8_t n, taken;
    unsigned cost; /* of a number above 0 */
    int current;   /* the agent that the order of the others begins with */
    agents enabled; /* of numbers: those that are allowed */
    agents asleep, done, add;
    agents sleeping; /* asleep, or awake for messages that are new */
    unsigned spent;     /* before it */
    uint64_t signature; /* of what there was to choose, and where */
};

static struct node nodes[MAX_CHOICES];
static unsigned n_nodes;  /* of this run so far */
static unsigned n_prefix; /* that are given */
static int last_pick;     /* the last node that is not data; -1: none */
static uint32_t slept[MAX_AGENTS]; /* the messages that there were when an agent fell asleep */
static uint32_t since;             /* ex_search_since() */
static unsigned spent, bound;
static bool cut; /* this round left something out */
static uint64_t run;
static uint64_t random_state;

/* Once a run was too long: that of the runs that are made instead. */
#define FIRST_LENGTH 50
#define SHORT_RUNS 10   /* times the longest run: steps of all short runs together */
static uint64_t length; /* 0: as long as they are */
static uint64_t steps_then;
static bool begins_again;

/* of the random search */
static uint64_t n_points, longest_run = 100, change_points[64], lowest;

uint64_t ex_random(void)
{
    random_state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    return ex_mix(random_state, 0);
}

static void read_choices(const char *text)
{
    unsigned long least = 0;

    while (*text != '\0') {
        char *end;
        unsigned long at = strtoul(text, &end, 10), number;

        if (end == text || *end != ':')
            break;
        text = end + 1;
        number = strtoul(text, &end, 10);
        if (end == text || at >= MAX_CHOICES || number >= MAX_AGENTS || at < least)
            break;
        least = at;
        nodes[at].taken = (uint8_t)number;
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
    run = ex_options.pct_depth > 0 ? (uint64_t)ex_options.worker : 0;
    random_state = ex_mix(ex_options.shuffles, 0);
}

void ex_search_run_begins(void)
{
    n_nodes = 0;
    last_pick = -1;
    spent = 0;
    ex_parts_run_begins();
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

/* setup.c */

static unsigned kept_nodes, kept_spent;

void ex_search_keep(void)
{
    kept_nodes = n_nodes;
    kept_spent = spent;
}

void ex_search_put_back(void)
{
    n_nodes = kept_nodes;
    spent = kept_spent;
    last_pick = -1;
}

bool ex_search_begins_alike(void)
{
    return n_prefix > kept_nodes && ex_options.pct_depth == 0 && ex_options.workers == 1 &&
           ex_options.replay == NULL;
}

void ex_priority_new(struct thread *thread)
{
    thread->priority[0] = ex_random() | (uint64_t)1 << 63;
    thread->priority[1] = ex_random() | (uint64_t)1 << 63;
}

static uint64_t *priority_of(int agent)
{
    return &ex_threads[agent / 2].priority[agent % 2];
}

static const char differs[] = "the program behaves differently when it is run again in the same "
                              "order: it depends on something "
                              "besides its threads (time, files, memory that was never written)";

static int count(agents set)
{
    return __builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64));
}

/* The agents of a node, in the order of their numbers: the current one first, then by number. */
static int agent_of(const struct node *node, unsigned number)
{
    agents left = node->enabled;

    if (left & ex_agent(node->current)) {
        if (number-- == 0)
            return node->current;
        left &= ~ex_agent(node->current);
    }
    while (number-- > 0)
        left &= left - 1;
    return ex_lowest(left);
}

static unsigned number_of(const struct node *node, int agent)
{
    unsigned number = 0;

    while (agent_of(node, number) != agent)
        number++;
    return number;
}

static unsigned cost_of(const struct node *node, unsigned number)
{
    if (node->is_data)
        return number > 0 ? node->cost : 0;
    return node->goes_on && agent_of(node, number) != node->current ? 1 : 0;
}

/* The node of a choice: a new one, or that of an earlier run with the same prefix. */
static struct node *node_for(const struct node *fresh)
{
    struct node *node = &nodes[n_nodes];

    if (n_nodes == MAX_CHOICES)
        ex_too_long("a run has more than %u choices: make the test smaller", MAX_CHOICES);
    if (n_nodes >= n_prefix || ex_options.replay != NULL) {
        unsigned taken = n_nodes < n_prefix ? node->taken : 0;

        *node = *fresh;
        node->spent = spent;
        node->taken = (uint8_t)taken;
    } else if (node->signature != fresh->signature) {
        ex_give_up("%s", differs);
    }
    if (node->taken >= node->n)
        ex_give_up("the choices do not belong to this program with these options");
    return node;
}

static int highest_priority(const struct node *node)
{
    int best = -1;

    if (node->enabled & ex_agent(node->current))
        for (int i = 0; i < ex_options.pct_depth - 1; i++)
            if (change_points[i] == n_points)
                *priority_of(node->current) = --lowest;
    n_points++;
    for (agents left = node->enabled; left != 0; left &= left - 1)
        if (best < 0 || *priority_of(ex_lowest(left)) > *priority_of(best))
            best = ex_lowest(left);
    return best;
}

/* Who sleeps: whose runs were done at the node before, or who slept there, and whose next step does
 * not depend on what was done instead. */
static agents sleeping_now(void)
{
    const struct node *before = &nodes[last_pick];

    if (last_pick < 0)
        return 0;
    return ex_event_asleep((before->sleeping | before->done) &
                           ~ex_agent(agent_of(before, before->taken)));
}

/* Those who have nothing else to do than what they have done. */
static agents asleep_now(agents sleeping, agents enabled)
{
    agents asleep = sleeping;

    for (agents left = sleeping & enabled; ex_options.c11 && left != 0; left &= left - 1) {
        int agent = ex_lowest(left);

        if (ex_message_is_new(&ex_threads[agent / 2], slept[agent]))
            asleep &= ~ex_agent(agent);
    }
    return asleep;
}

uint32_t ex_search_since(void)
{
    return since;
}

/* A choice was made; what follows may be another process's part. */
static void stop_unless_mine(const struct node *node)
{
    if (node->n > 1 && ex_options.pct_depth == 0 && !ex_parts_branch(n_nodes >= n_prefix))
        ex_cut_run();
}

/* The agent that a new node tries first: the current one, or where the search is shuffled any. */
static uint8_t first_awake(const struct node *node)
{
    unsigned number = 0, awake = 0;

    for (unsigned i = 0; i < node->n && (awake == 0 || ex_options.shuffles > 0); i++)
        if (!(node->asleep & ex_agent(agent_of(node, i))) && ex_random() % ++awake == 0)
            number = i;
    return (uint8_t)number;
}

int ex_pick(agents enabled, int current, bool patient)
{
    struct node fresh = {.current = current, .enabled = enabled}, *node;
    int picked;

    fresh.goes_on = patient && (enabled & ex_agent(current)) != 0;
    fresh.n = (uint8_t)count(enabled);
    fresh.signature = ex_mix(ex_mix((uint64_t)enabled, (uint64_t)(enabled >> 64)),
                             ex_mix(ex_threads[current / 2].pc, (uint64_t)current));
    if (!patient && fresh.n > 1 && (enabled & ex_agent(current))) { /* another comes first */
        fresh.current = ex_lowest(enabled & ~ex_agent(current));
        fresh.goes_on = true;
    }
    fresh.only_default = patient && fresh.goes_on && ex_reached_by_one(&ex_threads[current / 2].next);
    if (ex_reduces() && ex_options.replay == NULL && n_nodes >= n_prefix) {
        fresh.sleeping = sleeping_now();
        fresh.asleep = asleep_now(fresh.sleeping, enabled);
        if ((enabled & ~fresh.asleep) == 0)
            ex_cut_run();
    }
    node = node_for(&fresh);
    if (n_nodes >= n_prefix) {
        if (ex_options.pct_depth > 0)
            node->taken = (uint8_t)number_of(node, highest_priority(node));
        else
            node->taken = first_awake(node);
        node->add = ex_parts_is_top() ? enabled : ex_agent(agent_of(node, node->taken));
    }
    spent += cost_of(node, node->taken);
    last_pick = (int)n_nodes++;
    picked = agent_of(node, node->taken);
    since = node->sleeping & ex_agent(picked) ? slept[picked] + 1 : 0;
    for (agents left = ex_options.c11 ? node->done : 0; left != 0; left &= left - 1)
        slept[ex_lowest(left)] = ex_messages_made();
    stop_unless_mine(node);
    return picked;
}

int ex_node(void)
{
    return last_pick;
}

unsigned ex_choose(unsigned n, unsigned cost)
{
    return ex_choose_among(n, cost, ~(agents)0);
}

unsigned ex_choose_among(unsigned n, unsigned cost, agents allowed)
{
    struct node fresh = {.is_data = true, .n = (uint8_t)n, .cost = cost, .enabled = allowed}, *node;

    if (n == 1)
        return 0;
    fresh.signature = ex_mix(ex_self->pc, n);
    node = node_for(&fresh);
    if (n_nodes >= n_prefix && ex_options.pct_depth > 0)
        node->taken = (uint8_t)(ex_random() % n);
    while (n_nodes >= n_prefix && !(allowed & ex_agent(node->taken)))
        node->taken++;
    spent += cost_of(node, node->taken);
    n_nodes++;
    stop_unless_mine(node);
    return node->taken;
}

void ex_search_add(int number, agents first, int preferred)
{
    struct node *node = &nodes[number];

    if ((first & (node->add | node->asleep)) != 0)
        return;
    first &= node->enabled;
    if (first & ex_agent(preferred))
        node->add |= ex_agent(preferred);
    else if (first != 0)
        node->add |= ex_agent(ex_lowest(first));
    else
        node->add |= node->enabled; /* cannot be told: all are tried */
}

bool ex_search_is_new(void)
{
    return n_nodes >= n_prefix && ex_options.replay == NULL;
}

/* The next that a node has to try: false when there is none. */
static bool next_of(struct node *node)
{
    if (ex_reduces() && !node->is_data) {
        agents left;

        node->done |= ex_agent(agent_of(node, node->taken));
        left = node->add & ~node->done & ~node->asleep;
        if (left != 0)
            node->taken = (uint8_t)number_of(node, ex_lowest(left));
        return left != 0;
    }
    while (!node->only_default && ++node->taken < node->n) {
        if (node->is_data && !(node->enabled & ex_agent(node->taken)))
            continue;
        if (ex_reduces() || node->spent + cost_of(node, node->taken) <= bound)
            return true;
        cut = true;
    }
    return false;
}

/* The last choice that can still be made otherwise is. */
static bool next_depth_first(void)
{
    while (n_nodes > 0) {
        if (next_of(&nodes[n_nodes - 1])) {
            n_prefix = n_nodes;
            return true;
        }
        n_nodes--;
    }
    n_prefix = 0;
    return false;
}

void ex_search_run_ends(void)
{
    if (ex_options.replay == NULL && n_nodes < n_prefix)
        ex_give_up("%s", differs);
}

bool ex_search_shortens(void)
{
    if (!ex_search_complete())
        return false;
    cut = true;
    if (length == 0) {
        begins_again = true;
        steps_then = ex_total_steps();
    }
    return true;
}

uint64_t ex_search_length(void)
{
    return length;
}

/* All runs of one length, then those of the next. */
static bool next_length(void)
{
    if (!cut || 2 * length > ex_options.max_steps)
        return false; /* nothing was left out */
    length = length == 0 ? FIRST_LENGTH : 2 * length;
    begins_again = cut = false;
    n_prefix = 0;
    ex_parts_begin_again();
    return true;
}

bool ex_search_next(void)
{
    run += ex_options.pct_depth > 0 ? (uint64_t)ex_options.workers : 1;
    if (ex_options.replay != NULL || ex_parts_are_over())
        return false;
    if (ex_options.pct_depth > 0)
        return run < ex_options.runs;
    if (begins_again)
        return next_length();
    if (length > 0 && ex_total_steps() - steps_then > SHORT_RUNS * ex_options.max_steps)
        return false;
    if (next_depth_first())
        return true;
    if (ex_reduces())
        return next_length();
    if (!(ex_reached_has_grown() && bound > 0)) { /* else with this bound once more */
        if (!cut || bound == (unsigned)ex_options.preemptions)
            return false;
        bound++;
    }
    cut = false;
    n_prefix = 0;
    return true;
}

bool ex_search_complete(void)
{
    return ex_reduces() && ex_options.replay == NULL;
}

bool ex_search_stops(void)
{
    if (ex_reduces() || ex_options.pct_depth > 0 || bound < 2)
        return false;
    bound--;
    return true;
}

int ex_search_bound(void)
{
    return (int)bound;
}

double ex_search_done(void)
{
    double done = 0, weight = 1;
    unsigned all = n_nodes > n_prefix ? n_nodes : n_prefix; /* of a run that has just begun, too */

    if (ex_options.pct_depth > 0)
        return run < ex_options.runs ? (double)run / (double)ex_options.runs : 1;
    if (length > 0 || ex_options.replay != NULL)
        return 0; /* nothing follows for the rest */
    for (unsigned i = 0; i < all; i++) {
        const struct node *node = &nodes[i];
        bool in_order = node->is_data || !ex_reduces();
        int ways = in_order ? node->n : count((node->add & ~node->asleep) | node->done);

        if (ways == 0)
            continue;
        done += weight * (in_order ? node->taken : count(node->done)) / ways;
        weight /= ways;
    }
    return done;
}

void ex_choices_print(int fd)
{
    const char *comma = "";

    for (unsigned i = 0; i < n_nodes; i++)
        if (nodes[i].taken != 0) {
            ex_print(fd, "%s%u:%u", comma, i, nodes[i].taken);
            comma = ",";
        }
}
