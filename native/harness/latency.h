/* SPDX-License-Identifier: MIT */
/*
 * The loop that thinks, acquires, holds and releases, and asks some acquisitions how long they took.
 *
 * One acquisition in LOCKLAB_SAMPLE_EVERY is timed: reading the clock thrice costs some 50 ns, more than a
 * free lock does. Who had to wait is counted for all of them, by the lock's own pauses
 * (harness/pause.h). The guarded data is left alone: hold and think are private work.
 */
#include "harness/clock.h"
#include "harness/samples.h"
#include "harness/state.h"

/* Marsaglia's xorshift64*: which section writes is settled by its upper bits. */
static inline uint64_t draw(uint64_t *random)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return *random * UINT64_C(2685821657736338717);
}

#define SECTION(acquire, release)                                                                  \
    do {                                                                                           \
        locklab_waited = false;                                                                    \
        if (count % LOCKLAB_SAMPLE_EVERY == 0) {                                                   \
            uint64_t called = locklab_ticks(), inside;                                             \
            acquire(&state->lock, node);                                                           \
            inside = locklab_ticks();                                                              \
            locklab_spend(mix.hold);                                                               \
            release(&state->lock, node);                                                           \
            locklab_record(&tally->samples->hold, locklab_ticks() - inside);                       \
            locklab_record(&tally->samples->wait, inside - called);                                \
        } else {                                                                                   \
            acquire(&state->lock, node);                                                           \
            locklab_spend(mix.hold);                                                               \
            release(&state->lock, node);                                                           \
        }                                                                                          \
        contended += locklab_waited;                                                               \
        count++;                                                                                   \
    } while (0)

static void work(void *arg, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct state *state = arg;
    NODE *node = &state->seats[thread].node;
    const struct locklab_mix mix = order->mix;
    uint64_t count = 0, contended = 0, writes = 0;
    /* Never 0, and another one for each thread (the golden ratio's fraction). */
    uint64_t random = (mix.seed + thread) * UINT64_C(0x9E3779B97F4A7C15) | 1;

    do {
#ifdef READ_ACQUIRE
        if (draw(&random) >> 48 >= mix.write_share) {
            SECTION(READ_ACQUIRE, READ_RELEASE);
            locklab_spend(mix.think);
            continue;
        }
#endif
        SECTION(ACQUIRE, RELEASE);
        writes++;
        locklab_spend(mix.think);
    } while (!atomic_load_explicit(order->stop, memory_order_relaxed));
    tally->count = count;
    tally->writes = writes;
    tally->contended = contended;
    (void)node;
    (void)random;
}

const struct locklab_loop LOCKLAB_NAME(locklab_latency_, KERNEL) = {prepare, work, updates, free,
                                                                    LOCKLAB_HAS_READ};
