/* SPDX-License-Identifier: MIT */
/*
 * The loop that thinks, acquires, holds and releases, and times some of the acquisitions.
 *
 * One acquisition in LOCKLAB_SAMPLE_EVERY is timed: three readings of the clock cost some 50 ns,
 * more than a free lock does. All acquisitions that had to wait are counted, by the lock's own pauses
 * (harness/pause.h). A hold ends where release is called, as in lockmeter and in the simulator's
 * meter; the times are recorded when the lock is free again. The guarded data is not used: hold and
 * think are private work.
 */
#include "harness/clock.h"
#include "harness/samples.h"
#include "harness/state.h"

/* Marsaglia's xorshift64*: its upper bits decide which section writes. */
static inline uint64_t draw(uint64_t *random)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return *random * UINT64_C(2685821657736338717);
}

/* Counted in registers: a count in memory would cost as much as a free lock. */
struct met {
    uint64_t count;
    uint64_t contended;
};

/* A pause in release (MCS waits there for its successor's link) does not count as contention. */
#define SECTION(side, met, acquire, release)                                                       \
    do {                                                                                           \
        bool waited;                                                                               \
                                                                                                   \
        locklab_waited = false;                                                                    \
        if (--until == 0) {                                                                        \
            uint64_t called, inside, left;                                                         \
                                                                                                   \
            called = locklab_ticks();                                                              \
            acquire(&state->lock, node);                                                           \
            inside = locklab_ticks();                                                              \
            waited = locklab_waited;                                                               \
            locklab_spend(mix.hold);                                                               \
            left = locklab_ticks();                                                                \
            release(&state->lock, node);                                                           \
            locklab_record(&(side)->wait, inside - called);                                        \
            if (waited)                                                                            \
                locklab_record(&(side)->contended_wait, inside - called);                          \
            locklab_record(&(side)->hold, left - inside);                                          \
            until = LOCKLAB_SAMPLE_EVERY;                                                          \
        } else {                                                                                   \
            acquire(&state->lock, node);                                                           \
            waited = locklab_waited;                                                               \
            locklab_spend(mix.hold);                                                               \
            release(&state->lock, node);                                                           \
        }                                                                                          \
        (met).count++;                                                                             \
        (met).contended += waited;                                                                 \
    } while (0)

static void work(void *arg, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct state *state = arg;
    NODE *node = &state->seats[thread].node;
    struct locklab_side *write = &tally->samples->write, *read = &tally->samples->read;
    const struct locklab_mix mix = order->mix;
    struct met writes = {0}, reads = {0};
    unsigned until = 1; /* sections to the next one that is timed */
    /* Never 0, and different for each thread (the golden ratio's fraction). */
    uint64_t random = (mix.seed + thread) * UINT64_C(0x9E3779B97F4A7C15) | 1;

    do {
#ifdef READ_ACQUIRE
        if (draw(&random) >> 48 >= mix.write_share)
            SECTION(read, reads, READ_ACQUIRE, READ_RELEASE);
        else
#endif
            SECTION(write, writes, ACQUIRE, RELEASE);
        locklab_spend(mix.think);
    } while (!atomic_load_explicit(order->stop, memory_order_relaxed));
    write->count = tally->writes = writes.count;
    write->contended = writes.contended;
    read->count = reads.count;
    read->contended = reads.contended;
    tally->count = writes.count + reads.count;
    tally->contended = writes.contended + reads.contended;
    (void)node;
    (void)random;
}

const struct locklab_loop LOCKLAB_NAME(locklab_latency_, KERNEL) = {prepare, work, updates, free,
                                                                    LOCKLAB_HAS_READ};
