/* SPDX-License-Identifier: MIT */
/*
 * Threads, pinning, the start and the clocks.
 *
 * Each thread pins *itself*: pinning the creator would be inherited by all. Then it arrives at the
 * gate, and only when all have arrived does the gate open, so that nobody works alone for a while.
 * The clocks are read inside the thread, next to its work: wall time, and CPU time
 * to see whether it really ran all the while.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/harness.h"

enum gate { CLOSED, OPEN, CANCELLED };

struct run {
    const struct locklab_loop *loop;
    const struct locklab_plan *plan;
    void *state;
    struct locklab_order order;
    _Alignas(LOCKLAB_PAD) atomic_bool stop;
    _Alignas(LOCKLAB_PAD) atomic_int gate;
    _Alignas(LOCKLAB_PAD) atomic_uint arrived;
    atomic_uint finished;
    atomic_bool given_up;
};

struct worker {
    struct run *run;
    struct locklab_tally *tally;
    unsigned number;
    pthread_t thread;
};

/* Where a worker that waits in vain jumps to, and the flag that tells it to. */
static _Thread_local jmp_buf way_out;
static _Thread_local const atomic_bool *given_up;

/* Spins. Every 256th time (some microseconds) it gives the CPU away, or gives up. */
void locklab_polite_pause(void)
{
    static _Thread_local unsigned spins;

    if (++spins % 256 != 0) {
        locklab_pause();
        return;
    }
    if (atomic_load_explicit(given_up, memory_order_relaxed))
        longjmp(way_out, 1);
    sched_yield();
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Pins the calling thread; returns 0 or errno. The set grows with the CPU's number: CPU_SETSIZE
 * ends at 1024. */
static int pin(int cpu)
{
    size_t size = CPU_ALLOC_SIZE(cpu + 1);
    cpu_set_t *set = CPU_ALLOC(cpu + 1);
    int error = 0;

    if (set == NULL)
        return ENOMEM;
    CPU_ZERO_S(size, set);
    CPU_SET_S(cpu, size, set);
    if (sched_setaffinity(0, size, set) != 0)
        error = errno;
    CPU_FREE(set);
    if (error == 0 && sched_getcpu() != cpu)
        error = EINVAL;
    return error;
}

static void *thread_main(void *arg)
{
    struct worker *worker = arg;
    struct run *run = worker->run;
    struct locklab_tally tally = {0};
    uint64_t wall_ns, cpu_ns;

    given_up = &run->given_up;
    if (setjmp(way_out) != 0)
        return NULL;
    if (run->plan->cpus != NULL)
        tally.error = pin(run->plan->cpus[worker->number]);
    /* Release: the creator reads the error after it has seen everybody arrive. */
    worker->tally->error = tally.error;
    atomic_fetch_add_explicit(&run->arrived, 1, memory_order_release);
    while (atomic_load_explicit(&run->gate, memory_order_acquire) == CLOSED)
        locklab_polite_pause();
    if (atomic_load_explicit(&run->gate, memory_order_relaxed) == CANCELLED)
        return NULL;

    cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    wall_ns = now_ns(CLOCK_MONOTONIC);
    run->loop->work(run->state, worker->number, &run->order, &tally);
    tally.wall_ns = now_ns(CLOCK_MONOTONIC) - wall_ns;
    tally.cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
    *worker->tally = tally;
    atomic_fetch_add_explicit(&run->finished, 1, memory_order_relaxed);
    return NULL;
}

/* Creates the workers; returns how many exist, and in *error why not all. They inherit a mask that
 * blocks all signals: one must wake the creator, and a handler would disturb what is timed. */
static unsigned start(struct run *run, struct worker *workers, struct locklab_tally *tallies,
                      int *error)
{
    sigset_t all, before;
    unsigned i;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (i = 0; i < run->plan->threads; i++) {
        workers[i] = (struct worker){.run = run, .tally = &tallies[i], .number = i};
        *error = pthread_create(&workers[i].thread, NULL, thread_main, &workers[i]);
        if (*error != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return i;
}

static void wait_for_arrival(struct run *run, unsigned threads)
{
    const struct timespec moment = {.tv_nsec = 50000};

    while (atomic_load_explicit(&run->arrived, memory_order_acquire) < threads)
        nanosleep(&moment, NULL);
}

/* Sleeps; false when a signal came and the caller wants to stop for it. A process with other threads
 * (a notebook's, say) may hand the signal to one of them, which wakes nobody here: so look now and
 * then. */
static bool sleep_through(const struct locklab_plan *plan, uint64_t duration_ns)
{
    const uint64_t slice_ns = 50000000;
    uint64_t end_ns = now_ns(CLOCK_MONOTONIC) + duration_ns;

    for (;;) {
        uint64_t now = now_ns(CLOCK_MONOTONIC);
        uint64_t left_ns = now < end_ns ? end_ns - now : 0;
        struct timespec time = {.tv_nsec = (long)(left_ns < slice_ns ? left_ns : slice_ns)};
        bool whole = nanosleep(&time, NULL) == 0;

        if (whole && left_ns <= slice_ns)
            return true;
        if (plan->interrupted != NULL && plan->interrupted())
            return false;
    }
}

/* Returns when time is up, when all have finished, or when there is a reason to give up. */
static enum locklab_stage watch(struct run *run)
{
    const struct locklab_plan *plan = run->plan;
    const uint64_t look_ns = 1000000;
    uint64_t start_ns = now_ns(CLOCK_MONOTONIC);

    if (plan->duration_ns > 0)
        return sleep_through(plan, plan->duration_ns) ? LOCKLAB_DONE : LOCKLAB_INTERRUPTED;
    while (atomic_load_explicit(&run->finished, memory_order_relaxed) < plan->threads) {
        if (!sleep_through(plan, look_ns))
            return LOCKLAB_INTERRUPTED;
        if (plan->patience_ns > 0 && now_ns(CLOCK_MONOTONIC) - start_ns > plan->patience_ns)
            return LOCKLAB_STUCK;
    }
    return LOCKLAB_DONE;
}

static struct locklab_outcome run_threads(struct run *run, struct worker *workers,
                                          struct locklab_tally *tallies)
{
    struct locklab_outcome outcome = {.stage = LOCKLAB_DONE};
    unsigned started = start(run, workers, tallies, &outcome.error);

    wait_for_arrival(run, started);
    if (started < run->plan->threads) {
        outcome.stage = LOCKLAB_NO_THREAD;
        outcome.thread = started;
    }
    for (unsigned i = 0; i < started && outcome.stage == LOCKLAB_DONE; i++) {
        if (tallies[i].error != 0) {
            outcome.stage = LOCKLAB_NOT_PINNED;
            outcome.thread = i;
            outcome.error = tallies[i].error;
        }
    }
    atomic_store_explicit(&run->gate, outcome.stage == LOCKLAB_DONE ? OPEN : CANCELLED,
                          memory_order_release);
    if (outcome.stage == LOCKLAB_DONE)
        outcome.stage = watch(run);
    atomic_store_explicit(&run->stop, true, memory_order_relaxed);
    atomic_store_explicit(&run->given_up, outcome.stage != LOCKLAB_DONE, memory_order_relaxed);
    for (unsigned i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    outcome.updates = run->loop->updates(run->state);
    return outcome;
}

struct locklab_outcome locklab_run(const struct locklab_loop *loop, const struct locklab_plan *plan,
                                   struct locklab_tally *tallies)
{
    struct locklab_outcome outcome = {.stage = LOCKLAB_NO_MEMORY, .error = ENOMEM};
    struct run run = {.loop = loop, .plan = plan};
    struct worker *workers = calloc(plan->threads, sizeof(*workers));

    errno = ENOMEM;
    run.state = loop->prepare(plan->threads);
    if (run.state == NULL)
        outcome.error = errno;
    run.order = (struct locklab_order){plan->iterations, &run.stop, plan->read, plan->mix};
    memset(tallies, 0, plan->threads * sizeof(*tallies));
    if (run.state != NULL && workers != NULL)
        outcome = run_threads(&run, workers, tallies);
    if (run.state != NULL)
        loop->dispose(run.state);
    free(workers);
    return outcome;
}

struct locklab_tally *locklab_tallies_new(unsigned threads)
{
    return aligned_alloc(LOCKLAB_PAD, threads * sizeof(struct locklab_tally));
}

void locklab_tallies_free(struct locklab_tally *tallies)
{
    free(tallies);
}
