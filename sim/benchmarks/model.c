/*
 * The fast engine's opponent: the machine of PHYSICS.md, written by hand in C for one workload.
 *
 * The program (CriticalSection with TicketLock or TTASLock) is a switch over states instead of
 * bytecode, and its idle spin is known in advance. Everything else is the same machine: lines
 * with queues, store buffers, buses, per-CPU counters, lock meters, one tournament tree over the
 * agents, jumps over idle spin iterations. For the same seed it must end in the same state as the fast
 * engine, after as many events: a test compares all counters, all lines and all of memory.
 *
 * Faults (dead words, bad operands) cannot happen in this program, so the model does not check them.
 * Counters are laid out as in locksim/engine/counters.py, memory as in locksim/core/memory.py.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { AGENT_BITS = 11, TRANSACTIONS = 1 << 20 }; /* TRANSACTIONS: the jitter's random stream */
#define AGENT_MASK ((1 << AGENT_BITS) - 1)
#define NEVER INT64_MAX

/* What the caller fills in; benchmarks/opponent.py has the same fields in the same order. */
struct setup {
    int64_t n_cpus, n_nodes, n_classes, n_lines, line_shift, entries;
    int64_t l1, store, rmw, pause, tenure, tenure_plain, jitter, invalidate_each, shared_read, bus;
    int64_t blocking, nearest, bus_kind, busy_percent;
    const int64_t *transfer, *memory, *invalidate; /* [class] */
    const int64_t *overlap;                        /* [class] */
    const int64_t *node_of;                        /* [cpu] */
    const int8_t *distance;                        /* [cpu][cpu] */
    const int8_t *home_distance;                   /* [node][cpu] */
    const int64_t *home;                           /* [line] */
    int64_t ttas;                                  /* the lock: 0 ticket, 1 TTAS */
    int64_t lock, data;                            /* first words */
    int64_t n_words, hold, think, exponential;     /* CriticalSection's parameters */
    int64_t seed, jump;
    int64_t *words;        /* [word], changed */
    int64_t *count;        /* [cpu][CPU_COUNTERS], changed */
    int64_t *transactions; /* [line], changed */
    int64_t *meter;        /* [LOCK_COUNTERS], changed */
};

enum cpu_counter {
    DONE, LOADS, STORES, RMWS, FENCES, PAUSES, COMPUTE_PS, ALLOCS, FREES, BLOCKS, WAKES, SWITCHES,
    FORWARDED, HITS, BEYOND_L1, EVICTIONS, WRITEBACKS, CAPACITY, UPGRADES, MEMORY, FROM_CORE,
    FROM_NODE, FROM_FAR1, FROM_FAR2, FROM_FAR3, INVALIDATED, MISS_PS, QUEUE_PS, CPU_COUNTERS
};

enum lock_counter {
    TOTAL, CONTENDED, WAIT_PS, WAIT_MAX_PS, HOLD_PS, HOLD_MAX_PS, REJECTED, READ_TOTAL,
    READ_CONTENDED, READ_WAIT_PS, READ_WAIT_MAX_PS, READ_HOLD_PS, READ_HOLD_MAX_PS, READERS_MAX,
    BUSY_PERIODS, BUSY_PS, BUSY_MAX_PS, CONTENDED_WW, WAIT_WW_PS, WAIT_WW_MAX_PS, VIOLATIONS, OWNER,
    READERS, SINCE_PS, BUSY_SINCE_PS, LOCK_COUNTERS
};

/* The program: the operation that a core has in hand. */
enum state {
    ENTER,           /* before the first */
    STAGGER,         /* compute */
    TAKE, LOOK, RELAX, /* ticket: fetch_add; spin: load, pause */
    TRY, BACK_OFF, PEEK, REST, /* TTAS: compare_swap, pause; spin: load, pause */
    READ, WRITE,     /* a shared word */
    HOLD,            /* compute */
    SERVED, PASS_ON, /* ticket: load, store */
    UNLOCK,          /* TTAS: store */
    THINK,           /* compute */
    N_STATES
};

enum kind { K_LOAD, K_STORE, K_RMW, K_PAUSE, K_COMPUTE };

static const uint8_t kind_of[N_STATES] = {
    [STAGGER] = K_COMPUTE, [TAKE] = K_RMW, [LOOK] = K_LOAD, [RELAX] = K_PAUSE, [TRY] = K_RMW,
    [BACK_OFF] = K_PAUSE, [PEEK] = K_LOAD, [REST] = K_PAUSE, [READ] = K_LOAD, [WRITE] = K_STORE,
    [HOLD] = K_COMPUTE, [SERVED] = K_LOAD, [PASS_ON] = K_STORE, [UNLOCK] = K_STORE,
    [THINK] = K_COMPUTE,
};

enum does { RESUME, REISSUE, SERVE, COMPLETE };
enum waits { NOTHING, SLOT, DRAIN };

struct agent {
    int64_t since; /* when its request for a line was made */
    int64_t delay; /* of its miss: latency for which the line is not busy */
    int32_t line;
    int16_t next; /* in the line's queue */
    uint8_t does, exclusive;
};

struct core {
    int64_t value;  /* what the last operation gave, or what the next one takes */
    int64_t ticket;
    int64_t spin_since; /* when the round of the spin began */
    int64_t draws;
    int64_t wait_since, pauses_before; /* at the acquisition's start */
    int found_owner; /* another CPU held the lock when the acquisition began */
    int32_t address;
    int16_t index; /* of the shared word */
    uint8_t state, waits, clean, parked, head, length;
};

struct pending { int64_t address, value; };

struct line {
    int64_t ready, free, quiet; /* served from: free for reads, quiet for exclusive requests */
    int16_t owner, filler, head, tail;
    int32_t n_sharers;
};

struct model {
    struct setup s;
    int64_t events, served; /* served: transfers of all lines */
    size_t leaves, sharer_words;
    int64_t *tree;
    struct core *core;
    struct agent *agent;
    struct pending *buffer; /* [cpu][entry] */
    struct line *line;
    uint64_t *sharers; /* [line][sharer word] */
    uint64_t *near;    /* [cpu][class][sharer word]: the CPUs at each distance */
    int64_t *bus;
};

/* For the caller to compare with its own. */
int model_setup_size(void)
{
    return (int)sizeof(struct setup);
}

void model_free(struct model *m)
{
    if (!m)
        return;
    free(m->tree);
    free(m->core);
    free(m->agent);
    free(m->buffer);
    free(m->line);
    free(m->sharers);
    free(m->near);
    free(m->bus);
    free(m);
}

/* A machine at time 0, or NULL when there is no memory for it. The caller keeps the arrays alive. */
struct model *model_new(const struct setup *s)
{
    struct model *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    size_t n = (size_t)s->n_cpus, words = (n + 63) / 64;
    m->s = *s;
    m->sharer_words = words;
    m->leaves = 2;
    while (m->leaves < 2 * n)
        m->leaves *= 2;
    size_t bytes = 2 * m->leaves * sizeof *m->tree;
    m->tree = aligned_alloc(64, bytes < 64 ? 64 : bytes);
    m->core = calloc(n, sizeof *m->core);
    m->agent = calloc(2 * n, sizeof *m->agent);
    m->buffer = calloc(n * (size_t)s->entries, sizeof *m->buffer);
    m->line = calloc((size_t)s->n_lines, sizeof *m->line);
    m->sharers = calloc((size_t)s->n_lines * words, sizeof *m->sharers);
    m->near = calloc(n * (size_t)s->n_classes * words, sizeof *m->near);
    m->bus = calloc((size_t)s->n_nodes, sizeof *m->bus);
    if (!m->tree || !m->core || !m->agent || !m->buffer || !m->line || !m->sharers || !m->near
        || !m->bus) {
        model_free(m);
        return NULL;
    }
    for (size_t i = 0; i < 2 * m->leaves; i++)
        m->tree[i] = NEVER;
    for (size_t c = 0; c < n; c++)
        m->tree[m->leaves + 2 * c] = (int64_t)(2 * c);
    for (size_t i = m->leaves - 1; i >= 1; i--)
        m->tree[i] = m->tree[2 * i] < m->tree[2 * i + 1] ? m->tree[2 * i] : m->tree[2 * i + 1];
    for (int64_t x = 0; x < s->n_lines; x++) {
        struct line *l = &m->line[x];
        l->owner = l->filler = l->head = l->tail = -1;
    }
    if (s->nearest)
        for (size_t c = 0; c < n; c++)
            for (size_t x = 0; x < n; x++) {
                size_t d = (size_t)s->distance[c * n + x];
                m->near[(c * (size_t)s->n_classes + d) * words + x / 64] |= UINT64_C(1) << (x % 64);
            }
    return m;
}

/* ---- randomness: SplitMix64's finaliser over (seed, thread, draw), as in randomness.py */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static int64_t draw(int64_t seed, int64_t thread, int64_t counter)
{
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = mix((uint64_t)seed + golden);
    z = mix(z ^ (((uint64_t)thread + 1) * golden));
    z = mix(z + ((uint64_t)counter + 1) * golden);
    return (int64_t)(z >> 2);
}

/* ---- the calendar */

static inline void schedule(int64_t *tree, size_t leaf, int64_t key)
{
    tree[leaf] = key;
    while (leaf > 1) {
        int64_t other = tree[leaf ^ 1];
        leaf >>= 1;
        key = other < key ? other : key;
        tree[leaf] = key;
    }
}

static inline int64_t key_of(int64_t t, int a)
{
    return t << AGENT_BITS | a;
}

/* Bring a spinning core to where it is just before event (s, a). */
static void unpark(struct model *m, int c, int64_t s, int a)
{
    struct core *core = &m->core[c];
    int64_t *count = &m->s.count[c * CPU_COUNTERS];
    const int64_t period = m->s.l1 + m->s.pause, start = core->spin_since;
    const int me = 2 * c;
    int64_t rounds = (s - start) / period;
    int partial = 0;
    if (rounds * period == s - start && me > a)
        rounds--;
    if (rounds >= 0) {
        int64_t begun = start + rounds * period, pause_at = begun + m->s.l1;
        if (begun < s || (begun == s && me <= a)) {
            partial = 1;
            if (pause_at < s || (pause_at == s && me <= a))
                partial = 2;
        }
    } else {
        rounds = 0;
    }
    count[LOADS] += rounds + (partial > 0);
    count[HITS] += rounds + (partial > 0);
    count[PAUSES] += rounds + (partial > 1);
    if (partial == 2) {
        rounds++;
        partial = 0;
    }
    core->parked = core->clean = 0;
    core->state = m->s.ttas ? (partial ? REST : PEEK) : (partial ? RELAX : LOOK);
    m->agent[me].does = REISSUE;
    const int64_t at = start + rounds * period + (partial ? m->s.l1 : 0);
    schedule(m->tree, m->leaves + (size_t)me, key_of(at, me));
}

/* ---- the meters of the lock */

static void start_to_acquire(struct model *m, int c, int64_t t)
{
    m->core[c].wait_since = t;
    m->core[c].pauses_before = m->s.count[c * CPU_COUNTERS + PAUSES];
    m->core[c].found_owner = m->s.meter[OWNER] != 0;
}

static void acquired(struct model *m, int c, int64_t t)
{
    int64_t *meter = m->s.meter;
    const struct core *core = &m->core[c];
    meter[TOTAL]++;
    if (m->s.count[c * CPU_COUNTERS + PAUSES] > core->pauses_before) {
        int64_t wait = t - core->wait_since;
        meter[CONTENDED]++;
        meter[WAIT_PS] += wait;
        if (wait > meter[WAIT_MAX_PS])
            meter[WAIT_MAX_PS] = wait;
        if (core->found_owner) {
            meter[CONTENDED_WW]++;
            meter[WAIT_WW_PS] += wait;
            if (wait > meter[WAIT_WW_MAX_PS])
                meter[WAIT_WW_MAX_PS] = wait;
        }
    }
    if (meter[OWNER])
        meter[VIOLATIONS]++;
    meter[OWNER] = c + 1;
    meter[SINCE_PS] = t;
}

static void released(struct model *m, int64_t t)
{
    int64_t *meter = m->s.meter, hold = t - meter[SINCE_PS];
    meter[HOLD_PS] += hold;
    if (hold > meter[HOLD_MAX_PS])
        meter[HOLD_MAX_PS] = hold;
    meter[OWNER] = 0;
}

/* ---- the program */

static inline void to_acquire(struct model *m, struct core *core, int c, int64_t t)
{
    start_to_acquire(m, c, t);
    core->address = (int32_t)m->s.lock;
    core->state = m->s.ttas ? TRY : TAKE;
}

static inline void to_release(struct model *m, struct core *core, int64_t t)
{
    released(m, t);
    core->address = (int32_t)m->s.lock + !m->s.ttas;
    core->value = 0;
    core->state = m->s.ttas ? UNLOCK : SERVED;
}

/* The next shared word, or what comes after them. */
static inline void to_section(struct model *m, struct core *core, int64_t t)
{
    if (core->index < m->s.n_words) {
        core->address = (int32_t)m->s.data + core->index;
        core->state = READ;
    } else if (m->s.hold) {
        core->value = m->s.hold;
        core->state = HOLD;
    } else {
        to_release(m, core, t);
    }
}

static inline void to_think(struct model *m, struct core *core, int c, int64_t t)
{
    m->s.count[c * CPU_COUNTERS + DONE]++;
    if (!m->s.think) {
        to_acquire(m, core, c, t);
        return;
    }
    core->value = m->s.think;
    if (m->s.exponential) {
        double u = ((double)draw(m->s.seed, c, core->draws++) + 0.5) / 4611686018427387904.0;
        core->value = (int64_t)(-log(u) * (double)m->s.think);
    }
    core->state = THINK;
}

static inline void to_spin(struct model *m, struct core *core, int64_t t, enum state load)
{
    core->spin_since = t;
    core->clean = (uint8_t)m->s.jump;
    core->state = (uint8_t)load;
}

static inline bool holds(const struct model *m, int c, size_t l)
{
    const uint64_t *sharers = &m->sharers[l * m->sharer_words];
    return m->line[l].owner == c || (sharers[c / 64] >> (c % 64) & 1);
}

/* The register code at a resume, up to the next operation; false if the core parks instead. */
static inline bool proceed(struct model *m, int c, int64_t t)
{
    struct core *core = &m->core[c];
    switch ((enum state)core->state) {
    case ENTER:
        core->value = draw(m->s.seed, c, core->draws++) % (m->s.think + 1);
        core->state = STAGGER;
        return true;
    case STAGGER:
    case THINK:
        to_acquire(m, core, c, t);
        return true;
    case TAKE:
        core->ticket = core->value;
        core->address = (int32_t)m->s.lock + 1;
        to_spin(m, core, t, LOOK);
        return true;
    case TRY:
        if (core->value == 0)
            break;
        core->state = BACK_OFF;
        return true;
    case BACK_OFF:
        to_spin(m, core, t, PEEK);
        return true;
    case LOOK:
        if (core->value == core->ticket)
            break;
        core->state = RELAX;
        return true;
    case PEEK:
        core->state = core->value ? REST : TRY;
        return true;
    case RELAX:
    case REST:
        if (core->clean && !core->length && holds(m, c, (size_t)(m->s.lock >> m->s.line_shift))) {
            core->spin_since = t;
            core->parked = 1;
            return false;
        }
        to_spin(m, core, t, core->state == RELAX ? LOOK : PEEK);
        return true;
    case READ:
        core->value++;
        core->state = WRITE;
        return true;
    case WRITE:
        core->index++;
        to_section(m, core, t);
        return true;
    case HOLD:
        to_release(m, core, t);
        return true;
    case SERVED:
        core->value++;
        core->state = PASS_ON;
        return true;
    case PASS_ON:
    case UNLOCK:
        to_think(m, core, c, t);
        return true;
    case N_STATES:
        __builtin_unreachable();
    }
    acquired(m, c, t);
    core->index = 0;
    to_section(m, core, t);
    return true;
}

/* ---- a line's transactions */

static inline int64_t served_from(const struct line *line, const struct agent *agent)
{
    return agent->exclusive ? line->quiet : line->free;
}

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Serve agent a's request for line l at t: who supplies it, what it costs, who loses it. */
static inline int64_t serve(struct model *m, int a, size_t l, bool exclusive, int64_t t)
{
    m->agent[a].delay = 0;
    const struct setup *s = &m->s;
    const int c = a >> 1, last_class = FROM_FAR3 - FROM_CORE;
    const size_t n = (size_t)s->n_cpus, words = m->sharer_words;
    struct line *line = &m->line[l];
    uint64_t *sharers = &m->sharers[l * words];
    int64_t *count = &s->count[c * CPU_COUNTERS];
    const int8_t *distance = &s->distance[(size_t)c * n];
    const int owner = line->owner;
    const uint64_t my_bit = UINT64_C(1) << (c % 64);
    const bool mine = sharers[c / 64] & my_bit;

    if (owner == c || (mine && !exclusive)) {
        /* This CPU's other agent has fetched it meanwhile. */
        count[HITS]++;
        return t + s->l1;
    }
    int64_t supply, supplier_node = s->home[l], took;
    bool pipelined = false;
    const int64_t waited = t - m->agent[a].since;
    if (owner >= 0) {
        int d = distance[owner];
        supply = s->transfer[d] - least(waited, s->overlap[d]);
        supplier_node = s->node_of[owner];
        count[FROM_CORE + (d - 1 < last_class ? d - 1 : last_class)]++;
    } else if (mine) {
        int d = s->home_distance[(size_t)supplier_node * n + (size_t)c];
        supply = s->invalidate[d] - least(waited, s->overlap[d]);
        count[UPGRADES]++;
    } else if (line->n_sharers && s->nearest) {
        const uint64_t *near = &m->near[(size_t)c * (size_t)s->n_classes * words];
        size_t i = 0;
        while (!(sharers[i % words] & near[i]))
            i++;
        int d = (int)(i / words);
        size_t x = i % words * 64 + (size_t)__builtin_ctzll(sharers[i % words] & near[i]);
        supply = s->transfer[d] - least(waited, s->overlap[d]);
        supplier_node = s->node_of[x];
        count[FROM_CORE + (d - 1 < last_class ? d - 1 : last_class)]++;
    } else {
        supply = s->memory[s->home_distance[(size_t)supplier_node * n + (size_t)c]];
        count[MEMORY]++;
    }

    if (exclusive) {
        const bool spun_on = l == (size_t)(s->lock >> s->line_shift);
        took = supply;
        if (owner >= 0) {
            s->count[owner * CPU_COUNTERS + INVALIDATED]++;
            if (spun_on && m->core[owner].parked)
                unpark(m, owner, t, a);
        } else if (line->n_sharers) {
            int farthest = 0, others = 0;
            sharers[c / 64] &= ~my_bit;
            for (size_t w = 0; w < words; w++) {
                for (uint64_t bits = sharers[w]; bits; bits &= bits - 1) {
                    int x = (int)(w * 64) + __builtin_ctzll(bits);
                    others++;
                    farthest = distance[x] > farthest ? distance[x] : farthest;
                    s->count[x * CPU_COUNTERS + INVALIDATED]++;
                    if (spun_on && m->core[x].parked)
                        unpark(m, x, t, a);
                }
                sharers[w] = 0;
            }
            line->n_sharers = 0;
            if (others) {
                int64_t invalidation = s->invalidate[farthest] -
                                       least(waited, s->overlap[farthest]) +
                                       s->invalidate_each * (others - 1);
                took = invalidation > took ? invalidation : took;
            }
        }
        line->owner = (int16_t)c;
    } else {
        took = supply;
        if (owner >= 0) {
            line->owner = -1;
            sharers[owner / 64] |= UINT64_C(1) << (owner % 64);
            sharers[c / 64] |= my_bit;
            line->n_sharers = 2;
        } else if (line->n_sharers) {
            sharers[c / 64] |= my_bit;
            line->n_sharers++;
            pipelined = !s->blocking;
        } else {
            line->owner = (int16_t)c;
        }
    }

    int64_t start = t;
    if (s->bus_kind) {
        int64_t *mine_bus = &m->bus[s->bus_kind == 1 ? s->node_of[c] : 0];
        int64_t *other_bus = &m->bus[s->bus_kind == 1 ? supplier_node : 0];
        start = *mine_bus > start ? *mine_bus : start;
        start = *other_bus > start ? *other_bus : start;
        *mine_bus = *other_bus = start + s->bus;
    }
    if (s->jitter)
        took += draw(s->seed, TRANSACTIONS, m->served++) % (s->jitter + 1);
    line->filler = (int16_t)c;
    const int64_t busy = took * s->busy_percent / 100;
    m->agent[a].delay = took - busy;
    line->ready = start + busy;
    /* Even agents are cores: they ask for the right to write for an atomic only. */
    const bool atomic = exclusive && (a & 1) == 0;
    const int64_t quiet = line->ready + (atomic ? s->tenure : s->tenure_plain);
    if (exclusive) {
        line->free = line->quiet = quiet;
    } else {
        line->free = pipelined ? start + s->shared_read : line->ready;
        line->quiet = quiet > line->quiet ? quiet : line->quiet;
    }
    s->transactions[l]++;
    return line->ready;
}

/* ---- the loop */

/* What became of an operation. */
enum outcome { EFFECTIVE, PUT_OFF, READ_MISS, WRITE_MISS };

/* Issue (or complete) the operation in hand; *after is what it costs until the resume. */
static inline enum outcome issue(struct model *m, int c, int64_t t, bool complete, int64_t *after)
{
    const struct setup *s = &m->s;
    struct core *core = &m->core[c];
    int64_t *count = &s->count[c * CPU_COUNTERS];
    const size_t me = m->leaves + 2 * (size_t)c;
    const uint8_t kind = kind_of[core->state];

    if (kind == K_PAUSE) {
        count[PAUSES]++;
        *after = s->pause;
        return EFFECTIVE;
    }
    if (kind == K_COMPUTE) {
        *after = core->value > 1 ? core->value : 1;
        count[COMPUTE_PS] += *after;
        return EFFECTIVE;
    }
    const int64_t address = core->address;
    const size_t l = (size_t)(address >> s->line_shift);
    const struct line *line = &m->line[l];
    int64_t *word = &s->words[address];
    struct pending *buffer = &m->buffer[(size_t)c * (size_t)s->entries];

    if (kind == K_LOAD) {
        *after = s->l1;
        if (complete) {
            core->value = *word;
            *after = m->agent[2 * c].delay;
            count[LOADS]++;
            return EFFECTIVE;
        }
        bool forwarded = false;
        for (int i = 0, at = core->head; i < core->length; i++) {
            if (buffer[at].address == address) {
                core->value = buffer[at].value;
                forwarded = true;
            }
            at = at + 1 == s->entries ? 0 : at + 1;
        }
        if (forwarded) {
            core->clean = 0;
            count[FORWARDED]++;
            count[LOADS]++;
            return EFFECTIVE;
        }
        if (!holds(m, c, l)) {
            core->clean = 0;
            return READ_MISS;
        }
        if (line->filler == c && line->ready > t) {
            core->clean = 0;
            m->agent[2 * c].does = REISSUE;
            schedule(m->tree, me, key_of(line->ready, 2 * c));
            return PUT_OFF;
        }
        core->value = *word;
        count[HITS]++;
        count[LOADS]++;
        return EFFECTIVE;
    }

    if (kind == K_STORE) {
        *after = s->store;
        if (!core->length && line->owner == c && !(line->filler == c && line->ready > t)) {
            *word = core->value;
            count[HITS]++;
        } else if (core->length < s->entries) {
            int at = core->head + core->length;
            at = at >= s->entries ? at - (int)s->entries : at;
            buffer[at] = (struct pending){address, core->value};
            if (!core->length++) {
                m->agent[2 * c + 1].does = REISSUE;
                schedule(m->tree, me + 1, key_of(t, 2 * c + 1));
            }
        } else {
            core->waits = SLOT;
            schedule(m->tree, me, NEVER);
            return PUT_OFF;
        }
        count[STORES]++;
        return EFFECTIVE;
    }

    if (!complete) {
        if (core->length) {
            core->waits = DRAIN;
            schedule(m->tree, me, NEVER);
            return PUT_OFF;
        }
        if (line->owner != c)
            return WRITE_MISS;
        if (line->filler == c && line->ready > t) {
            m->agent[2 * c].does = REISSUE;
            schedule(m->tree, me, key_of(line->ready, 2 * c));
            return PUT_OFF;
        }
        count[HITS]++;
    }
    core->value = *word;
    if (core->state == TAKE)
        *word = core->value + 1;
    else if (core->value == 0)
        *word = 1;
    count[RMWS]++;
    *after = s->rmw + (complete ? m->agent[2 * c].delay : 0);
    return EFFECTIVE;
}

/* The store buffer's event: true if it has to ask for its line. */
static inline bool drain(struct model *m, int c, int64_t t, bool complete)
{
    const struct setup *s = &m->s;
    struct core *core = &m->core[c];
    const struct pending *oldest = &m->buffer[(size_t)c * (size_t)s->entries + core->head];
    const struct line *line = &m->line[oldest->address >> s->line_shift];
    const size_t me = m->leaves + 2 * (size_t)c + 1;

    if (!complete) {
        if (line->owner != c)
            return true;
        if (line->filler == c && line->ready > t) {
            schedule(m->tree, me, key_of(line->ready, 2 * c + 1));
            return false;
        }
        s->count[c * CPU_COUNTERS + HITS]++;
    }
    s->words[oldest->address] = oldest->value;
    core->head = core->head + 1 == s->entries ? 0 : (uint8_t)(core->head + 1);
    core->length--;
    if (core->waits == SLOT || (core->waits == DRAIN && !core->length)) {
        core->waits = NOTHING;
        m->agent[2 * c].does = REISSUE;
        schedule(m->tree, me - 1, key_of(t + s->l1, 2 * c));
    }
    m->agent[2 * c + 1].does = REISSUE;
    const int64_t after = s->store + (complete ? m->agent[2 * c + 1].delay : 0);
    schedule(m->tree, me, core->length ? key_of(t + after, 2 * c + 1) : NEVER);
    return false;
}

/* The core's event: what it needs from a line, if anything. */
static inline enum outcome run_core(struct model *m, int c, int64_t t, enum does does)
{
    const size_t me = m->leaves + 2 * (size_t)c;
    for (;;) {
        if (does == RESUME && !proceed(m, c, t)) {
            schedule(m->tree, me, NEVER);
            return PUT_OFF;
        }
        int64_t after;
        enum outcome outcome = issue(m, c, t, does == COMPLETE, &after);
        if (outcome != EFFECTIVE)
            return outcome;
        does = RESUME;
        if (after > 0) {
            m->agent[2 * c].does = RESUME;
            schedule(m->tree, me, key_of(t + after, 2 * c));
            return EFFECTIVE;
        }
    }
}

/* Process all events before until_ps; the number of events since time 0. */
int64_t model_advance(struct model *m, int64_t until_ps)
{
    int64_t *tree = m->tree, events = 0;
    const int64_t limit = until_ps << AGENT_BITS;
    int64_t key;

    while ((key = tree[1]) < limit) {
        events++;
        const int64_t t = key >> AGENT_BITS;
        const int a = (int)(key & AGENT_MASK), c = a >> 1;
        struct agent *agent = &m->agent[a];
        struct core *core = &m->core[c];
        const size_t me = m->leaves + (size_t)a;
        size_t l;

        if (agent->does == SERVE) {
            l = (size_t)agent->line;
            m->line[l].head = agent->next;
        } else {
            if (a & 1) {
                if (!drain(m, c, t, agent->does == COMPLETE))
                    continue;
                agent->exclusive = true;
                const struct pending *buffer = &m->buffer[(size_t)c * (size_t)m->s.entries];
                l = (size_t)(buffer[core->head].address >> m->s.line_shift);
            } else {
                enum outcome outcome = run_core(m, c, t, agent->does);
                if (outcome <= PUT_OFF)
                    continue;
                agent->exclusive = outcome == WRITE_MISS;
                l = (size_t)(core->address >> m->s.line_shift);
            }
            struct line *line = &m->line[l];
            agent->line = (int32_t)l;
            agent->since = t;
            agent->does = SERVE;
            const int64_t from = served_from(line, agent);
            if (line->head >= 0 || from > t) {
                agent->next = -1;
                if (line->head < 0) {
                    line->head = (int16_t)a;
                    schedule(tree, me, key_of(from, a));
                } else {
                    m->agent[line->tail].next = (int16_t)a;
                    schedule(tree, me, NEVER);
                }
                line->tail = (int16_t)a;
                continue;
            }
        }
        const int64_t ready = serve(m, a, l, agent->exclusive, t);
        m->s.count[c * CPU_COUNTERS + QUEUE_PS] += t - agent->since;
        m->s.count[c * CPU_COUNTERS + MISS_PS] += ready - agent->since;
        agent->does = COMPLETE;
        schedule(tree, me, key_of(ready, a));
        const struct line *line = &m->line[l];
        if (line->head >= 0) {
            int64_t at = served_from(line, &m->agent[line->head]);
            at = at > t ? at : t;
            schedule(tree, m->leaves + (size_t)line->head, key_of(at, line->head));
        }
    }
    for (int c = 0; c < m->s.n_cpus; c++)
        if (m->core[c].parked)
            unpark(m, c, until_ps, -1);
    m->events += events;
    return m->events;
}
