/* SPDX-License-Identifier: MIT */
/*
 * The loop that looks for violations of mutual exclusion.
 *
 * An exclusive section increments two words, and writes its thread's number before and after. There
 * are three signs of a wrong lock: a lost update at the end, the number of another thread inside
 * (overlap), two words that differ (torn). Between the two words a section waits for 0 to 7 pauses,
 * so that it can meet a thread that should not be inside. If the lock has another side, only every
 * eighth section is exclusive.
 *
 * Readers look at the words and change nothing. The loop judges their views when they are out,
 * because an optimistic reader may see anything inside, and then repeats. A lock with both kinds of
 * readers gets them alternately.
 *
 * A counted reference is taken and dropped. While a thread holds one the count is at least 2; under
 * the lock it does not change; at the end it is 1 again, or the difference counts as lost updates.
 */
#define LOCKLAB_OPTIMIST() (blocking = false)
#include "harness/state.h"

static inline uint64_t get(_Atomic(uint64_t) *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static inline void put(_Atomic(uint64_t) *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static inline uint64_t max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void dwell(uint64_t turn)
{
    for (uint64_t i = 0; i < turn % 8; i++)
        locklab_pause();
}

/* For a sanitizer that looks for data races, which relaxed atomics are not. */
static inline void count_plainly(struct state *state)
{
#ifdef LOCKLAB_PLAIN
    state->plain++;
#endif
    (void)state;
}

static void exclusive(struct state *state, unsigned thread, uint64_t turn,
                      struct locklab_tally *tally)
{
    uint64_t first = get(&state->first);
    uint64_t me = (uint64_t)thread + 1;
#ifdef REFERENCES
    uint32_t references = REFERENCES(&state->lock);
#endif

    tally->overlaps += get(&state->inside) != 0;
    put(&state->inside, me);
    tally->torn += first != get(&state->second);
    dwell(turn);
#ifdef REFERENCES
    tally->torn += references != REFERENCES(&state->lock);
#endif
    count_plainly(state);
    put(&state->first, first + 1);
    put(&state->second, get(&state->second) + 1);
    tally->overlaps += get(&state->inside) != me;
    put(&state->inside, 0);
}

/* The view of a reader, in the order in which it looked. */
struct view {
    uint64_t first, inside, second, again, plain;
};

static inline void look(struct state *state, uint64_t turn, bool blocking, struct view *view)
{
#ifdef LOCKLAB_PLAIN
    view->plain = blocking ? state->plain : 0;
#endif
    (void)blocking;
    view->first = get(&state->first);
    view->inside = get(&state->inside);
    dwell(turn);
    view->second = get(&state->second);
    view->again = get(&state->first);
}

static inline void judge(const struct view *view, struct locklab_tally *tally)
{
    tally->overlaps += view->inside != 0;
    tally->torn += view->first != view->second || view->first != view->again;
}

#ifdef READ_ACQUIRE
#define SHARED
static void shared(struct state *state, NODE *node, uint64_t turn, struct locklab_tally *tally)
{
    struct view view;
    bool blocking = true;

#ifdef OPTIMISTIC_ACQUIRE
    if (turn % 2 != 0) {
        OPTIMISTIC_ACQUIRE(&state->lock, node);
        look(state, turn, blocking, &view);
        OPTIMISTIC_RELEASE(&state->lock, node);
        judge(&view, tally);
        return;
    }
#endif
    READ_ACQUIRE(&state->lock, node);
    look(state, turn, blocking, &view);
    READ_RELEASE(&state->lock, node);
    judge(&view, tally);
    (void)node;
}
#endif

#ifdef REFERENCES
#define SHARED
static void shared(struct state *state, NODE *node, uint64_t turn, struct locklab_tally *tally)
{
    ACQUIRE(&state->lock, node);
    tally->overlaps += REFERENCES(&state->lock) < 2;
    dwell(turn);
    RELEASE(&state->lock, node);
    (void)node;
}

static uint64_t updates_and_references(const void *arg)
{
    struct state *state = (struct state *)(uintptr_t)arg;
    uint32_t references = REFERENCES(&state->lock);

    return updates(arg) - (references > 1 ? references - 1 : 1 - references);
}
#define UPDATES updates_and_references
#else
#define UPDATES updates
#endif

/* One section: exclusive, or of the other side. */
static void section(struct state *state, NODE *node, unsigned thread, uint64_t turn,
                    struct locklab_tally *tally)
{
#ifdef SHARED
    if (turn % 8 != 0) {
        shared(state, node, turn, tally);
        return;
    }
#endif
    uint64_t asked = get(&state->first);

    EXCLUSIVE_ACQUIRE(&state->lock, node);
    tally->passed = max(tally->passed, get(&state->first) - asked);
    exclusive(state, thread, tally->writes, tally);
    EXCLUSIVE_RELEASE(&state->lock, node);
    tally->writes++;
}

#ifndef LOCKLAB_SECTIONS_ONLY
static void work(void *arg, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct state *state = arg;

    for (uint64_t i = 0; i < order->iterations; i++)
        section(state, &state->seats[thread].node, thread, i, tally);
    tally->count = order->iterations;
}

const struct locklab_loop LOCKLAB_NAME(locklab_validate_, KERNEL) = {prepare, work, UPDATES, free,
                                                                     LOCKLAB_HAS_READ};
#endif
