/* SPDX-License-Identifier: MIT */
/*
 * The loop that thinks, acquires, holds and releases, and asks some acquisitions how long they took.
 *
 * One acquisition in LOCKLAB_SAMPLE_EVERY is timed: reading the clock thrice costs some 50 ns, more than a
 * free lock does. Who had to wait is counted for all of them, by the lock's own pauses
 * (harness/pause.h). A hold ends where release is called, as lockmeter has it and as the simulator's
 * meter does; what is timed is written down when the lock is free. The guarded data is left alone:
 * hold and think are private work.
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

/* Counted in registers: a count in memory would cost as much as a free lock. */
struct met {
    uint64_t count;
    uint64_t contended;
};

/* A pause in release (MCS waits for its successor's link there) makes nobody contended. */
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
    /* Never 0, and another one for each thread (the golden ratio's fraction). */
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
