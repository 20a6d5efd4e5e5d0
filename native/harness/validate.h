/* SPDX-License-Identifier: MIT */
/*
 * The loop that looks for a lock that lets two in.
 *
 * An exclusive section counts two words up, and signs its name before and after. Three signs of a
 * wrong lock: an update lost in the end, somebody else's name inside (overlap), two words that
 * differ (torn). Between the two words it dwells for 0 to 7 pauses, in turn, so that who is let in
 * wrongly has time to be met. With a read side only every eighth acquisition writes; readers look
 * at the words and change nothing.
 */
#include "harness/state.h"

static inline uint64_t get(_Atomic(uint64_t) *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static inline void put(_Atomic(uint64_t) *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static void dwell(uint64_t turn)
{
    for (uint64_t i = 0; i < turn % 8; i++)
        locklab_pause();
}

static void exclusive(struct state *state, unsigned thread, uint64_t turn,
                      struct locklab_tally *tally)
{
    uint64_t first = get(&state->first);
    uint64_t me = (uint64_t)thread + 1;

    tally->overlaps += get(&state->inside) != 0;
    put(&state->inside, me);
    tally->torn += first != get(&state->second);
    dwell(turn);
    put(&state->first, first + 1);
    put(&state->second, get(&state->second) + 1);
    tally->overlaps += get(&state->inside) != me;
    put(&state->inside, 0);
}

#ifdef READ_ACQUIRE
static void shared(struct state *state, uint64_t turn, struct locklab_tally *tally)
{
    uint64_t first = get(&state->first);

    tally->overlaps += get(&state->inside) != 0;
    dwell(turn);
    tally->torn += first != get(&state->second);
    tally->torn += first != get(&state->first);
}
#endif

static void work(void *arg, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct state *state = arg;
    NODE *node = &state->seats[thread].node;

    for (uint64_t i = 0; i < order->iterations; i++) {
#ifdef READ_ACQUIRE
        if (i % 8 != 0) {
            READ_ACQUIRE(&state->lock, node);
            shared(state, i, tally);
            READ_RELEASE(&state->lock, node);
            continue;
        }
#endif
        ACQUIRE(&state->lock, node);
        exclusive(state, thread, tally->writes, tally);
        RELEASE(&state->lock, node);
        tally->writes++;
    }
    tally->count = order->iterations;
    (void)node;
}

const struct locklab_loop LOCKLAB_NAME(locklab_validate_, KERNEL) = {prepare, work, updates, free,
                                                                     LOCKLAB_HAS_READ};
