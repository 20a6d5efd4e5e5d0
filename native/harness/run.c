/* SPDX-License-Identifier: MIT */
/*
 * Threads, pinning, the start and the clocks.
 *
 * Each thread pins *itself*: all threads would inherit the pinning of their creator. Then it arrives
 * at the gate, which opens only when all have arrived, so that no thread works alone for a while.
 * A warm-up is the same work on the same state before the measured time, behind a gate of its own.
 * The thread itself reads the clocks, next to its work: wall time, and CPU time to see whether it
 * ran all the while.
 *
 * With a wrong lock it can happen that no thread enters any more. A worker that does not return by
 * itself gets a signal, whose handler jumps out of its work.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "harness/clock.h"
#include "harness/harness.h"
#include "harness/samples.h"

/* The signal that ends a worker: a real-time one, which nothing else in a process uses. */
#define HOME (SIGRTMIN + 1)

/* How long a worker may take to return by itself, in ms. Most loops look at the stop flag. A jump
 * out of one would leave its current call half done (malloc(), say). */
#define GRACE_MS 100

/* How long to wait for a quiet moment. Where the cores are busy for half of the time, most moments
 * come within a tenth of it; where they are busy all the time, the trial begins nevertheless. */
#define QUIET_WAIT_NS UINT64_C(200000000)

/* The stage of a run. A worker waits for the next one; CANCELLED comes after all others. */
enum gate { CLOSED, WARMING, MEASURING, CANCELLED };

struct run {
    const struct locklab_loop *loop;
    const struct locklab_plan *plan;
    void *state;
    _Alignas(LOCKLAB_PAD) atomic_bool warm; /* the stop flag of the warm-up */
    _Alignas(LOCKLAB_PAD) atomic_bool stop;
    _Alignas(LOCKLAB_PAD) atomic_int gate;
    _Alignas(LOCKLAB_PAD) atomic_uint arrived;
    atomic_uint finished;
};

struct worker {
    struct run *run;
    struct locklab_tally *tally;
    unsigned number;
    bool joined;
    pthread_t thread;
    _Atomic(uint64_t) turn_ps; /* the last time of an iteration before the run; 0: none yet */
};

/* The place to which a worker that does not return jumps. */
static _Thread_local sigjmp_buf way_out;

static void jump_out(int signal)
{
    (void)signal;
    siglongjmp(way_out, 1);
}

/* Spins. Every 256th time (some microseconds) it yields the CPU. */
void locklab_polite_pause(void)
{
    static _Thread_local unsigned spins;

    if (++spins % 256 == 0)
        sched_yield();
    else
        locklab_relax();
}

/* The time of one iteration of private work on this CPU now. It is longer while something shares
 * the core or its clock is lower, and no other value shows that: the thread has its CPU all the while.
 * The shortest of some tries, to leave out interrupts. */
static double turn_ns(void)
{
    const uint32_t turns = 10000;
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 5; i++) {
        uint64_t start = locklab_wall_ns(), took;

        locklab_spend(turns);
        took = locklab_wall_ns() - start;
        if (took < least)
            least = took;
    }
    return (double)least / turns;
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

/* Arrives, and waits until the run has reached a gate; returns its stage. Other threads may need
 * this CPU to arrive, so it spins for some microseconds only and then sleeps, again and again. (A sleep,
 * not sched_yield(), whose effect on ordinary threads is not specified.) Who waits for a quiet moment
 * has a CPU of its own, and times private work meanwhile. */
static enum gate wait_at(struct worker *worker, enum gate gate)
{
    static const struct timespec moment = {.tv_nsec = 1000};
    struct run *run = worker->run;
    bool timing = gate == WARMING && run->plan->quiet_ps > 0;
    enum gate seen;
    unsigned spins = 0;

    /* Release: the creator reads the tally's error after it has seen all threads arrive. */
    atomic_fetch_add_explicit(&run->arrived, 1, memory_order_release);
    while ((seen = atomic_load_explicit(&run->gate, memory_order_acquire)) < gate)
        if (timing)
            atomic_store_explicit(&worker->turn_ps, (uint64_t)(1000 * turn_ns()),
                                  memory_order_relaxed);
        else if (++spins % 256 != 0)
            locklab_relax();
        else
            nanosleep(&moment, NULL);
    return seen;
}

static void *thread_main(void *arg)
{
    struct worker *worker = arg;
    struct run *run = worker->run;
    const struct locklab_plan *plan = run->plan;
    struct locklab_order order = {plan->iterations, &run->warm, plan->read, plan->mix};
    struct locklab_samples *samples = worker->tally->samples;
    struct locklab_tally tally = {.samples = samples};
    uint64_t wall_ns, cpu_ns;
    double before_ns;
    sigset_t leave;

    if (sigsetjmp(way_out, 1) != 0)
        return NULL;
    sigemptyset(&leave);
    sigaddset(&leave, HOME);
    pthread_sigmask(SIG_UNBLOCK, &leave, NULL);
    /* Keep short sleeps short: by default the kernel adds up to 50 us to each. */
    prctl(PR_SET_TIMERSLACK, 1);
    if (plan->cpus != NULL)
        worker->tally->error = pin(plan->cpus[worker->number]);
    if (wait_at(worker, WARMING) == CANCELLED)
        return NULL;
    if (plan->warmup_ns > 0) {
        run->loop->work(run->state, worker->number, &order, &tally);
        if (samples != NULL)
            memset(samples, 0, sizeof(*samples));
        tally = (struct locklab_tally){.samples = samples};
    }
    before_ns = turn_ns();
    if (wait_at(worker, MEASURING) == CANCELLED)
        return NULL;

    order.stop = &run->stop;
    cpu_ns = locklab_cpu_ns();
    wall_ns = locklab_wall_ns();
    run->loop->work(run->state, worker->number, &order, &tally);
    tally.wall_ns = locklab_wall_ns() - wall_ns;
    tally.cpu_ns = locklab_cpu_ns() - cpu_ns;
    tally.turn_ns = turn_ns();
    if (tally.turn_ns < before_ns)
        tally.turn_ns = before_ns;
    *worker->tally = tally;
    atomic_fetch_add_explicit(&run->finished, 1, memory_order_release);
    return NULL;
}

/* Creates the workers; returns how many exist, and in *error why not all do. They inherit a mask
 * that blocks all signals: a handler would disturb the timing. */
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

static void sleep_ns(uint64_t duration_ns)
{
    struct timespec left = {.tv_sec = (time_t)(duration_ns / 1000000000),
                            .tv_nsec = (long)(duration_ns % 1000000000)};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/* Waits until a count has reached a number. */
static enum locklab_stage wait_for(atomic_uint *count, unsigned number, uint64_t patience_ns)
{
    const uint64_t look_ns = 200000;
    uint64_t start_ns = locklab_wall_ns();

    while (atomic_load_explicit(count, memory_order_acquire) < number) {
        sleep_ns(look_ns);
        if (patience_ns > 0 && locklab_wall_ns() - start_ns > patience_ns)
            return LOCKLAB_STUCK;
    }
    return LOCKLAB_DONE;
}

/* Waits until all cores are quiet: nothing shares them, and no clock is lowered. */
static void wait_for_quiet(struct run *run, struct worker *workers)
{
    const uint64_t look_ns = 100000, limit_ps = run->plan->quiet_ps;
    uint64_t start_ns = locklab_wall_ns();

    while (locklab_wall_ns() - start_ns < QUIET_WAIT_NS) {
        unsigned quiet = 0;

        for (unsigned i = 0; i < run->plan->threads; i++) {
            uint64_t ps = atomic_load_explicit(&workers[i].turn_ps, memory_order_relaxed);

            quiet += ps > 0 && ps <= limit_ps;
        }
        if (quiet == run->plan->threads)
            break;
        sleep_ns(look_ns);
    }
}

/* Opens a gate; with a duration, sets the stop flag of the work behind it when time is up. */
static void let_run(struct run *run, enum gate gate, uint64_t duration_ns, atomic_bool *stop)
{
    atomic_store_explicit(&run->gate, gate, memory_order_release);
    if (duration_ns == 0)
        return;
    sleep_ns(duration_ns);
    atomic_store_explicit(stop, true, memory_order_relaxed);
}

/* Runs from the moment that all have arrived to the end of their work. */
static enum locklab_stage watch(struct run *run)
{
    const struct locklab_plan *plan = run->plan;
    enum locklab_stage stage;

    let_run(run, WARMING, plan->warmup_ns, &run->warm);
    stage = wait_for(&run->arrived, 2 * plan->threads, plan->patience_ns);
    if (stage != LOCKLAB_DONE)
        return stage;
    let_run(run, MEASURING, plan->duration_ns, &run->stop);
    return wait_for(&run->finished, plan->threads, plan->patience_ns);
}

/* Waits for the workers to end. With send_home they get the signal, again and again until they end:
 * a worker may not have unblocked it yet. */
static void collect(struct worker *workers, unsigned started, bool send_home)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    unsigned left = started;

    for (unsigned ms = 0; send_home && left > 0; ms++) {
        for (unsigned i = 0; i < started && ms >= GRACE_MS; i++)
            if (!workers[i].joined)
                pthread_kill(workers[i].thread, HOME);
        nanosleep(&moment, NULL);
        for (unsigned i = 0; i < started; i++) {
            if (!workers[i].joined && pthread_tryjoin_np(workers[i].thread, NULL) == 0) {
                workers[i].joined = true;
                left--;
            }
        }
    }
    for (unsigned i = 0; i < started; i++)
        if (!workers[i].joined)
            pthread_join(workers[i].thread, NULL);
}

static struct locklab_outcome run_threads(struct run *run, struct worker *workers,
                                          struct locklab_tally *tallies)
{
    struct locklab_outcome outcome = {.stage = LOCKLAB_DONE};
    struct sigaction before, home = {.sa_handler = jump_out};
    unsigned started;

    sigaction(HOME, &home, &before);
    started = start(run, workers, tallies, &outcome.error);
    if (started < run->plan->threads) {
        outcome.stage = LOCKLAB_NO_THREAD;
        outcome.thread = started;
    } else {
        outcome.stage = wait_for(&run->arrived, started, 0);
    }
    for (unsigned i = 0; i < started && outcome.stage == LOCKLAB_DONE; i++) {
        if (tallies[i].error != 0) {
            outcome.stage = LOCKLAB_NOT_PINNED;
            outcome.thread = i;
            outcome.error = tallies[i].error;
        }
    }
    if (outcome.stage == LOCKLAB_DONE && run->plan->quiet_ps > 0)
        wait_for_quiet(run, workers);
    if (outcome.stage == LOCKLAB_DONE)
        outcome.stage = watch(run);
    if (outcome.stage != LOCKLAB_DONE) {
        atomic_store_explicit(&run->gate, CANCELLED, memory_order_release);
        /* For loops that check the flag, or block the signal since they must not be left anywhere. */
        atomic_store_explicit(&run->warm, true, memory_order_relaxed);
        atomic_store_explicit(&run->stop, true, memory_order_relaxed);
    }
    collect(workers, started, outcome.stage == LOCKLAB_STUCK);
    sigaction(HOME, &before, NULL);
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
    for (unsigned i = 0; i < plan->threads; i++) {
        struct locklab_samples *samples = tallies[i].samples;

        if (samples != NULL)
            memset(samples, 0, sizeof(*samples));
        tallies[i] = (struct locklab_tally){.samples = samples};
    }
    if (run.state != NULL && workers != NULL)
        outcome = run_threads(&run, workers, tallies);
    if (run.state != NULL)
        loop->dispose(run.state);
    free(workers);
    return outcome;
}

struct locklab_tally *locklab_tallies_new(unsigned threads, bool sampled)
{
    struct locklab_tally *tallies = aligned_alloc(LOCKLAB_PAD, threads * sizeof(*tallies));
    struct locklab_samples *samples = sampled ? calloc(threads, sizeof(*samples)) : NULL;

    if (tallies == NULL || (sampled && samples == NULL)) {
        free(tallies);
        free(samples);
        return NULL;
    }
    for (unsigned i = 0; i < threads; i++)
        tallies[i] = (struct locklab_tally){.samples = sampled ? &samples[i] : NULL};
    return tallies;
}
