/* SPDX-License-Identifier: MIT */
/*
 * Steps that depend on each other, and what another order of them would be.
 *
 * The complete search makes one run of each set of runs that differ only in the order of steps
 * that commute (Mazurkiewicz's traces). It is dynamic partial-order reduction with source sets and
 * sleep sets, as Abdulla, Aronis, Jonsson and Sagonas describe it (Source Sets, J. ACM 64(4),
 * 2017, algorithm 1; locks as in their section on disabling). An agent is a thread or its store
 * buffer. A step of an agent lasts from one of its points to the next, and touches one subject:
 * some bytes of memory, or one of the enumeration SUBJECT_*. Two steps depend on each other when
 * they are of one agent, or when their subjects overlap and one of them changes its own. The
 * thread's load that its own buffer answers depends only on that buffer's steps. Creation, joining
 * and waking order two steps without a race: no other order of them exists.
 *
 * A race is a pair of steps of different agents that depend on each other, with no step between
 * them that comes after the first and before the second. Where the second could have come first, the
 * search has to begin with an initial step of what would then happen, at the point of the first.
 *
 * Under c11 atomic operations are steps of another kind. What a load reads, and behind which message
 * a store is put, are choices that are tried whatever the order of steps is. So two of them depend
 * on each other in these cases only: a read comes after the store that it reads; what reads a word
 * could read a later write, which then has to come first; two updates could read the same message;
 * and SEQ_CST fences, and SEQ_CST operations of one word, have one order. docs/explain/explorer.md has
 * the argument.
 *
 * Changes that come to the same in either order commute, although they touch the same bytes: readers
 * of a reader-writer lock that come and go, posts of a semaphore. Neither acquires what the other
 * releases. Mutexes have no such steps: of threads that only contend for mutexes, each order in which
 * they get these is one trace, and is run once.
 *
 * A step that had to wait could not have come right before the step that opened the way (an unlock),
 * but before an earlier one (the lock that it had waited for): the last change of the same subject
 * before which the way was open, and which the thread did not come after otherwise.
 */
#include <string.h>

#include "explorer.h"

#define CELLS (1u << 15)

struct event {
    int agent, node;
    unsigned index; /* among the agent's, from 1 */
    address at;
    unsigned size;
    bool changes, forwarded;
    enum kind kind;
    value old;      /* of the subject, before it */
    int before;     /* the last change of the same subject before it; -1: none */
    agents waiting; /* who could not go on then */

    /* Under c11: */
    bool message, total;         /* as in struct operation */
    bool may_write;              /* in this order of steps, or in another */
    bool reads, writes, inserts; /* a message; not as the last one */
    value new;
    int line, line_before;   /* the step before of the same line; -1: none */
    int total_before;        /* of the total order */
    int from, interrupted;   /* the step that put there what this one reads; that keeps it from
                                acquiring more */
};

struct touch { /* the last of an agent to some bytes of a word */
    struct touch *next;
    int event;
    uint8_t bytes;
};

struct cell { /* of an aligned word of 8 bytes */
    address word;
    uint64_t run;
    struct touch *touches;
};

static struct event events[MAX_EVENTS];
static int last_of_line[MAX_EVENTS], last_total; /* -1: none */
static unsigned n_lines;
static uint32_t clocks[MAX_EVENTS][MAX_AGENTS]; /* the steps of each agent that come before one */
static int n_events, current = -1, last[MAX_AGENTS];
static uint32_t past[MAX_AGENTS]; /* what the step comes after, whatever it depends on */
static struct operation operation;
static struct clock published;

static struct cell cells[CELLS];
static struct touch touches[3 * MAX_EVENTS];
static unsigned n_cells, n_touches;
static uint64_t run;

void ex_events_begin(void)
{
    run++;
    n_events = 0;
    current = -1;
    n_cells = n_touches = n_lines = 0;
    last_total = -1;
    for (int i = 0; i < MAX_AGENTS; i++)
        last[i] = -1;
}

int ex_event_now(void)
{
    return current;
}

int ex_event_last(int agent)
{
    return last[agent];
}

/* subjects */

static struct cell *cell_of(address word)
{
    unsigned at = (unsigned)(ex_mix(word, 2) % CELLS);

    while (cells[at].run == run && cells[at].word != word)
        at = (at + 1) % CELLS;
    if (cells[at].run != run) {
        if (++n_cells > CELLS / 2)
            ex_too_long("a run meets in more than %u words of memory: make the test smaller",
                       CELLS / 2);
        cells[at] = (struct cell){word, run, NULL};
    }
    return &cells[at];
}

static uint8_t bytes_of(address word, address at, size_t size)
{
    unsigned from = at > word ? (unsigned)(at - word) : 0;
    unsigned to = at + size < word + 8 ? (unsigned)(at + size - word) : 8;

    return (uint8_t)((0xff << from) & (0xff >> (8 - to)));
}

static bool is_memory(address at)
{
    return at >= 4096;
}

static bool would_change(const struct operation *next)
{
    if (next->effect == COMPARES)
        return ex_bytes(next->at, next->size) == next->expected;
    return next->effect == STORES || next->effect == UPDATES;
}

/* A buffer's next step is that its oldest store reaches memory. */
static struct operation next_of(int agent)
{
    const struct thread *thread = &ex_threads[agent / 2];

    if (agent % 2 == 0)
        return thread->next;
    return (struct operation){.at = thread->buffer[0].at,
                              .size = thread->buffer[0].size,
                              .effect = STORES};
}

static bool is_forwarded(int agent, const struct operation *next)
{
    const struct thread *thread = &ex_threads[agent / 2];

    return agent % 2 == 0 && next->effect == LOOKS && thread->buffered > 0 &&
           ex_buffered(thread, next->at, next->size) != NULL;
}

static bool overlap(address a, size_t a_size, address b, size_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/* order */

static bool comes_before(int event, const uint32_t *clock)
{
    return clock[events[event].agent] >= events[event].index;
}

static void join(uint32_t *clock, int event)
{
    for (int i = 0; i < 2 * ex_threads_used; i++)
        if (clock[i] < clocks[event][i])
            clock[i] = clocks[event][i];
}

static bool looks_back(void)
{
    return ex_reduces() && !ex_is_sole();
}

void ex_event_after(int event)
{
    if (event >= 0 && looks_back())
        join(past, event);
}

void ex_event_start(int agent, int node, agents waiting)
{
    struct thread *thread = &ex_threads[agent / 2];
    struct event *event;

    if (!looks_back())
        n_events = 0;
    event = &events[n_events];
    if (n_events == MAX_EVENTS)
        ex_too_long("a run has more than %u steps that threads meet in: make the test smaller",
                   MAX_EVENTS);
    current = n_events++;
    operation = next_of(agent);
    *event = (struct event){.agent = agent,
                            .node = node,
                            .at = operation.at,
                            .size = operation.size,
                            .changes = would_change(&operation),
                            .forwarded = is_forwarded(agent, &operation),
                            .kind = operation.kind,
                            .before = -1,
                            .waiting = waiting,
                            .message = operation.message,
                            .total = operation.total || operation.fails_total,
                            .may_write = operation.effect != LOOKS,
                            .line = -1,
                            .line_before = -1,
                            .total_before = -1,
                            .from = -1,
                            .interrupted = -1};
    if (operation.effect != NOTHING && is_memory(operation.at) && !operation.message) {
        event->old = agent % 2 == 0 ? ex_visible(thread, operation.at, operation.size)
                                    : ex_bytes(operation.at, operation.size);
        published = (struct clock){0};
        if (event->changes && !ex_is_sole())
            ex_meet(operation.at, operation.size, &published);
    }
    memset(past, 0, sizeof(past));
    if (!looks_back())
        return;
    if (last[agent] >= 0)
        join(past, last[agent]);
    else if (agent % 2 == 0)
        ex_event_after(thread->made_by);
    if (agent % 2 != 0)
        ex_event_after(thread->buffer[0].event);
    else if (operation.drains)
        ex_event_after(last[agent + 1]);
}

/* messages */

void ex_event_message(int line, int event, value old)
{
    struct event *now = &events[current];

    while (n_lines <= (unsigned)line)
        last_of_line[n_lines++] = -1;
    now->line = line;
    now->from = event;
    now->old = now->new = old;
    now->reads = operation.effect != STORES;
}

void ex_event_interrupted(int event)
{
    events[current].interrupted = event;
}

void ex_event_stores(value what, bool inserts)
{
    events[current].writes = true;
    events[current].inserts = inserts;
    events[current].new = what;
}

/* Has the total order of SEQ_CST operations an order of the two? */
static bool is_in_total_order(const struct event *a, bool total, bool message, address at,
                              unsigned size, bool writes)
{
    if (!a->total || !total)
        return false;
    return !a->message || !message || (overlap(a->at, a->size, at, size) && (a->may_write || writes));
}

/* other orders */

/* Would the step have been possible right before another? */
static bool possible_before(int agent, const struct operation *next, int event)
{
    if (last[agent] < event && agent % 2 == 0) /* it was the agent's next already */
        return (events[event].waiting & ex_agent(agent)) == 0;
    return next->open == NULL || next->open(events[event].old, &ex_threads[agent / 2]);
}

static bool commute(enum kind kind, address at, const struct event *other)
{
    return kind != OTHER && other->kind == kind && other->at == at;
}

/* The subject's value without an event and what comes after it; and the least that it would be if of
 * each agent only the first of its other changes were made. */
struct without {
    value all, least;
};

static struct without value_without(int event, int last_change)
{
    struct without found = {events[event].old, events[event].old};
    __int128 sums[MAX_AGENTS] = {0}, least[MAX_AGENTS] = {0};
    static int changes[MAX_EVENTS];
    int n = 0;

    for (int i = last_change; i > event; i = events[i].before)
        if (!comes_before(event, clocks[i]))
            changes[n++] = i;
    while (n-- > 0) { /* the earliest first */
        const struct event *one = &events[changes[n]];
        __int128 *sum = &sums[one->agent];

        found.all += one->new - one->old;
        *sum += (__int128)(one->new - one->old);
        if (*sum < least[one->agent])
            least[one->agent] = *sum;
    }
    for (int i = 0; i < 2 * ex_threads_used; i++)
        found.least += (value)least[i];
    return found;
}

/* Lets the search try the step of `agent`, before which all of `clock` comes, in place of an
 * earlier one: what does not come after that one, then this. */
static void reverse(int event, int agent, const uint32_t *clock)
{
    int first[MAX_AGENTS];
    agents seen = 0, initial = 0;

    for (int i = event + 1; i <= n_events; i++) {
        bool is_last = i == n_events || i == current;
        int who = is_last ? agent : events[i].agent;
        const uint32_t *its = is_last ? clock : clocks[i];
        bool is_initial = true;

        if ((seen & ex_agent(who)) == 0 && (is_last || !comes_before(event, its))) {
            for (agents left = seen; left != 0 && is_initial; left &= left - 1)
                is_initial = !comes_before(first[ex_lowest(left)], its);
            seen |= ex_agent(who);
            first[who] = i;
            if (is_initial)
                initial |= ex_agent(who);
        }
        if (is_last)
            break;
    }
    ex_search_add(events[event].node, initial, agent);
}

static void race(int event, int agent, const struct operation *next, const uint32_t *clock)
{
    for (; event >= 0 && !comes_before(event, past); event = events[event].before) {
        if (possible_before(agent, next, event)) {
            reverse(event, agent, clock);
            return;
        }
        if (next->open == NULL)
            return;
    }
}

static int last_change_of(address at)
{
    int found = -1;

    for (const struct touch *a = cell_of(at & ~(address)7)->touches; a != NULL; a = a->next)
        if (events[a->event].at == at && a->event > found)
            found = a->event;
    return found;
}

/* The same for a step that waits for changes that commute, such as a writer for readers: `event` is one
 * of the last. Before each that led to it the way may have been open, if others had come and gone
 * or had not come yet. Where it was so only for some of the others, all agents are tried. */
static void race_with_many(int event, int agent, const struct operation *next,
                           const uint32_t *clock, int last_change)
{
    const uint32_t *until = clocks[event];

    for (int i = event; i >= 0 && !comes_before(i, past); i = events[i].before) {
        struct without value;

        if (i != event && !comes_before(i, until))
            continue;
        value = value_without(i, last_change);
        if (next->open(value.all, &ex_threads[agent / 2])) {
            reverse(i, agent, clock);
            return;
        }
        if (next->open(value.least, &ex_threads[agent / 2])) {
            ex_search_add(events[i].node, 0, agent);
            return;
        }
    }
}

/* A step that depends on these, the last one first, may come before each. */
static void race_all(int agent, const struct operation *next, uint32_t *clock, const int *found,
                     unsigned n, bool is_new)
{
    static int direct[3 * MAX_EVENTS];
    unsigned n_direct = 0;
    bool waits_for_many = false;

    for (unsigned i = 0; i < n; i++) {
        if (comes_before(found[i], clock))
            continue;
        join(clock, found[i]);
        direct[n_direct++] = found[i];
        waits_for_many = waits_for_many || (next->open != NULL && events[found[i]].kind != OTHER);
        if (is_new && !waits_for_many)
            race(found[i], agent, next, clock);
    }
    for (unsigned i = 0; i < n_direct && is_new && waits_for_many; i++)
        race_with_many(direct[i], agent, next, clock, last_change_of(next->at));
}

/* What the step depends on: the latest steps of others that reach its subject, the last one first.
 */
static unsigned predecessors(const struct event *event, int *found)
{
    unsigned n = 0;

    for (address word = event->at & ~(address)7; word < event->at + event->size; word += 8) {
        uint8_t bytes = bytes_of(word, event->at, event->size);

        for (struct touch *a = cell_of(word)->touches; a != NULL; a = a->next) {
            const struct event *other = &events[a->event];
            unsigned at = 0;

            if ((a->bytes & bytes) == 0 || other->agent == event->agent ||
                !(other->changes || event->changes) || commute(event->kind, event->at, other) ||
                ((other->forwarded || event->forwarded) && other->agent / 2 != event->agent / 2))
                continue;
            while (at < n && found[at] > a->event)
                at++;
            if (at < n && found[at] == a->event)
                continue;
            memmove(found + at + 1, found + at, (n - at) * sizeof(*found));
            found[at] = a->event;
            n++;
        }
    }
    return n;
}

/* An agent's access takes the place of those that come before it in any order. */
static void remember(struct event *event, int number)
{
    for (address word = event->at & ~(address)7; word < event->at + event->size; word += 8) {
        struct cell *cell = cell_of(word);
        uint8_t bytes = bytes_of(word, event->at, event->size);
        struct touch *made;

        for (struct touch **at = &cell->touches; *at != NULL;) {
            const struct event *other = &events[(*at)->event];

            if (other->changes && other->at == event->at && event->before < (*at)->event)
                event->before = (*at)->event;
            if ((event->kind != OTHER ? other->agent == event->agent && other->kind == event->kind
                 : event->changes     ? true
                                      : other->agent == event->agent && !other->changes) &&
                ((*at)->bytes & ~bytes) == 0 && !event->forwarded && !other->forwarded)
                *at = (*at)->next;
            else
                at = &(*at)->next;
        }
        made = &touches[n_touches++];
        *made = (struct touch){cell->touches, number, bytes};
        cell->touches = made;
    }
}

static bool is_before_in_total_order(const struct event *a, const struct event *b)
{
    return is_in_total_order(a, b->total, b->message, b->at, b->size, b->may_write);
}

/* The step could come before another one of the total order, and then read what it cannot now: any
 * message that does not come after that one, those of this run before and after it. */
static void reverse_total(int other, const struct event *event, const uint32_t *clock)
{
    static uint32_t with[MAX_AGENTS];

    reverse(other, event->agent, clock);
    for (int i = event->line >= 0 ? last_of_line[event->line] : -1; event->reads && i > other;
         i = events[i].line_before)
        if (events[i].writes && !comes_before(other, clocks[i])) {
            memcpy(with, clock, sizeof(with));
            join(with, i);
            reverse(other, event->agent, with);
        }
}

static void reverse_before_read(int read, const struct event *event, const uint32_t *clock)
{
    reverse(read, event->agent, clock);
    for (int i = events[read].total_before; events[read].total && i >= 0;
         i = events[i].total_before)
        if (is_before_in_total_order(&events[i], &events[read]) && !comes_before(i, clock))
            reverse(i, event->agent, clock);
}

static void order_total(struct event *event, uint32_t *clock, bool is_new)
{
    for (int i = last_total; i >= 0; i = events[i].total_before)
        if (is_before_in_total_order(&events[i], event) && !comes_before(i, clock)) {
            join(clock, i);
            if (is_new)
                reverse_total(i, event, clock);
        }
    event->total_before = last_total;
    last_total = current;
}

static void order_messages(struct event *event, uint32_t *clock, bool is_new)
{
    int from = event->from;

    if (from >= 0 && !comes_before(from, clock)) {
        join(clock, from);
        if (is_new && events[from].reads && event->may_write) /* both could read the same */
            reverse(from, event->agent, clock);
    }
    if (event->interrupted >= 0)
        join(clock, event->interrupted);
    for (int i = last_of_line[event->line]; is_new && event->writes && i >= 0;
         i = events[i].line_before)
        if (events[i].reads && !comes_before(i, clock)) /* it could read what is written now */
            reverse_before_read(i, event, clock);
    event->line_before = last_of_line[event->line];
    last_of_line[event->line] = current;
}

static void order(struct event *event)
{
    static int found[3 * MAX_EVENTS];
    static uint32_t clock[MAX_AGENTS];
    bool is_new = ex_search_is_new(), meets = event->size > 0 && !event->message;
    unsigned n = meets ? predecessors(event, found) : 0;

    memcpy(clock, past, sizeof(clock));
    race_all(event->agent, &operation, clock, found, n, is_new);
    if (event->total)
        order_total(event, clock, is_new);
    if (event->line >= 0)
        order_messages(event, clock, is_new);
    event->index = last[event->agent] >= 0 ? events[last[event->agent]].index + 1 : 1;
    clock[event->agent] = event->index;
    memcpy(clocks[current], clock, sizeof(clock));
    if (meets)
        remember(event, current);
    last[event->agent] = current;
}

static bool weakens(const struct event *event)
{
    struct clock after = {0};

    if (!event->changes || ex_is_sole())
        return false;
    ex_meet(event->at, event->size, &after);
    for (int i = 0; i < ex_threads_used; i++)
        if (after.at[i] < published.at[i])
            return true;
    return false;
}

void ex_event_stop(void)
{
    struct event *event = &events[current];

    if (current < 0)
        return;
    if (operation.message)
        ex_spins_add(&ex_threads[event->agent / 2], &operation, event->old, event->new,
                     event->writes);
    else if (operation.effect != NOTHING && is_memory(operation.at)) {
        event->new = ex_bytes(event->at, event->size);
        if (event->agent % 2 == 0)
            ex_spins_add(&ex_threads[event->agent / 2], &operation, event->old, event->new,
                         weakens(event));
        else
            ex_count(event->at, event->size);
    }
    if (looks_back())
        order(event);
    current = -1;
}

void ex_event_never(struct thread *thread)
{
    static int found[3 * MAX_EVENTS];
    int agent = 2 * thread->number;
    struct event event = {.agent = agent,
                          .kind = thread->next.kind,
                          .at = thread->next.at,
                          .size = thread->next.size,
                          .changes = true};
    unsigned n = thread->next.open != NULL ? predecessors(&event, found) : 0;
    uint32_t clock[MAX_AGENTS];

    memset(past, 0, sizeof(past));
    if (last[agent] >= 0)
        join(past, last[agent]);
    memcpy(clock, past, sizeof(clock));
    race_all(agent, &thread->next, clock, found, n, true);
}

static bool depends(const struct event *event, int agent)
{
    struct operation next = next_of(agent);

    if (is_in_total_order(event, next.total || next.fails_total, next.message, next.at, next.size,
                          next.effect != LOOKS) ||
        (event->inserts && next.message && next.effect != STORES && next.at == event->at))
        return true;
    if (event->message || next.message || next.effect == NOTHING || event->size == 0 ||
        commute(next.kind, next.at, event) ||
        !overlap(event->at, event->size, next.at, next.size) ||
        !(event->changes || would_change(&next)))
        return false;
    return event->agent / 2 == agent / 2 ||
           !(event->forwarded || is_forwarded(agent, &next));
}

agents ex_event_asleep(agents set)
{
    agents asleep = set;

    for (agents left = set; left != 0; left &= left - 1)
        if (depends(&events[n_events - 1], ex_lowest(left)))
            asleep &= ~ex_agent(ex_lowest(left));
    return asleep;
}
