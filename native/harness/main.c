/* SPDX-License-Identifier: MIT */
/*
 * locklab-native: one trial of one kernel, as one JSON object on stdout.
 *
 *     locklab-native list
 *     locklab-native clock
 *     locklab-native run ticket --loop latency --threads 2 --cpus 0,1 --duration-ms 100
 *
 * The sampling unit of a measurement is the process. When it starts, stack, state and threads get
 * their places in memory; these move results by more than the differences inside one process. The
 * command is linked statically where that is possible, so that it also runs on a machine where
 * nothing is installed.
 *
 * Exit status: 0; 1 the lock is wrong (validate, torture); 2 the request is wrong; 3 the lock is
 * stuck; 4 a thread could not be created or pinned. The reason is on stderr, in one line.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "harness/clock.h"
#include "harness/harness.h"
#include "harness/samples.h"

enum status { GOOD, WRONG, BAD_REQUEST, STUCK, NO_THREAD };

static const char *const loop_names[LOCKLAB_LOOPS] = {"validate", "throughput", "latency", "torture"};
static const char *const kind_names[] = {"lock", "structure", "probe", "workload"};

struct request {
    const struct locklab_kernel *kernel;
    enum locklab_loop_name loop;
    struct locklab_plan plan;
    int *cpus;
};

static const struct option options[] = {
    {"loop", required_argument, NULL, 'l'},        {"threads", required_argument, NULL, 'n'},
    {"cpus", required_argument, NULL, 'c'},        {"read", no_argument, NULL, 'r'},
    {"iterations", required_argument, NULL, 'i'},  {"duration-ms", required_argument, NULL, 'd'},
    {"warmup-ms", required_argument, NULL, 'w'},   {"patience-ms", required_argument, NULL, 'p'},
    {"hold", required_argument, NULL, 'h'},        {"think", required_argument, NULL, 't'},
    {"write-share", required_argument, NULL, 's'}, {"option", required_argument, NULL, 'o'},
    {"seed", required_argument, NULL, 'x'},        {"quiet-ps", required_argument, NULL, 'q'},
    {NULL, 0, NULL, 0},
};

static _Noreturn void stop(enum status status, const char *what, const char *which)
{
    fprintf(stderr, "error: %s%s\n", what, which);
    exit(status);
}

/* Reads a whole number of at most `most`; ends the process where it is not one. */
static uint64_t number(const char *text, const char *option, uint64_t most)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value > most) {
        fprintf(stderr, "error: --%s must be a whole number from 0 to %" PRIu64 " (got %s)\n", option,
                most, text);
        exit(BAD_REQUEST);
    }
    return value;
}

static enum locklab_loop_name loop_named(const char *name)
{
    for (int loop = 0; loop < LOCKLAB_LOOPS; loop++)
        if (strcmp(loop_names[loop], name) == 0)
            return (enum locklab_loop_name)loop;
    stop(BAD_REQUEST, "--loop must be validate, throughput, latency or torture, not ", name);
}

/* Reads `0,1,5`; returns how many. */
static unsigned read_cpus(char *text, int **cpus)
{
    unsigned count = 0;

    *cpus = malloc((strlen(text) + 1) * sizeof(**cpus));
    if (*cpus == NULL)
        stop(NO_THREAD, "no memory", "");
    for (char *part = strtok(text, ","); part != NULL; part = strtok(NULL, ","))
        (*cpus)[count++] = (int)number(part, "cpus", 1u << 20);
    return count;
}

static struct request read_request(int argc, char **argv)
{
    struct request request = {.loop = LOCKLAB_THROUGHPUT, .plan = {.threads = 1}};
    struct locklab_plan *plan = &request.plan;
    unsigned cpus = 0;
    int option, index = 0;

    while ((option = getopt_long(argc, argv, "", options, &index)) != -1) {
        const char *name = options[index].name;

        if (option == 'l')
            request.loop = loop_named(optarg);
        else if (option == 'n')
            plan->threads = (unsigned)number(optarg, name, 65536);
        else if (option == 'c')
            cpus = read_cpus(optarg, &request.cpus);
        else if (option == 'r')
            plan->read = true;
        else if (option == 'i')
            plan->iterations = number(optarg, name, UINT64_MAX);
        else if (option == 'd')
            plan->duration_ns = 1000000 * number(optarg, name, 3600000);
        else if (option == 'w')
            plan->warmup_ns = 1000000 * number(optarg, name, 3600000);
        else if (option == 'p')
            plan->patience_ns = 1000000 * number(optarg, name, 3600000);
        else if (option == 'q')
            plan->quiet_ps = number(optarg, name, UINT64_MAX);
        else if (option == 'h')
            plan->mix.hold = (uint32_t)number(optarg, name, UINT32_MAX);
        else if (option == 't')
            plan->mix.think = (uint32_t)number(optarg, name, UINT32_MAX);
        else if (option == 's')
            plan->mix.write_share = (uint32_t)number(optarg, name, 65536);
        else if (option == 'o')
            plan->mix.option = (uint32_t)number(optarg, name, UINT32_MAX);
        else if (option == 'x')
            plan->mix.seed = number(optarg, name, UINT64_MAX);
        else
            exit(BAD_REQUEST); /* getopt_long has said why */
    }
    if (optind != argc - 1)
        stop(BAD_REQUEST, "name one kernel; `locklab-native list` shows them", "");
    request.kernel = locklab_kernel_find(argv[optind]);
    if (request.kernel == NULL)
        stop(BAD_REQUEST, "there is no kernel ", argv[optind]);
    if (request.kernel->loops[request.loop] == NULL)
        stop(BAD_REQUEST, "this kernel has no loop ", loop_names[request.loop]);
    if (plan->read && !request.kernel->loops[request.loop]->has_read)
        stop(BAD_REQUEST, "--read: there is no read side in ", argv[optind]);
    if (plan->threads < 1 || (request.cpus != NULL && cpus != plan->threads))
        stop(BAD_REQUEST, "--cpus must name one CPU for each of --threads, which is at least 1", "");
    if ((plan->iterations > 0) == (plan->duration_ns > 0))
        stop(BAD_REQUEST, "give either --iterations (validate) or --duration-ms (the others)", "");
    if ((request.loop == LOCKLAB_VALIDATE) != (plan->iterations > 0))
        stop(BAD_REQUEST, "--iterations goes with --loop validate, --duration-ms with others", "");
    plan->cpus = request.cpus;
    return request;
}

/* Prints each bucket that is not empty as [least value, number of values, count]. */
static void print_histogram(const char *name, const struct locklab_histogram *histogram)
{
    const char *comma = "";

    printf(", \"%s\": {\"total\": %" PRIu64 ", \"longest\": %" PRIu64 ", \"counts\": [", name,
           histogram->total, histogram->longest);
    for (unsigned bucket = 0; bucket < LOCKLAB_BUCKETS; bucket++) {
        if (histogram->counts[bucket] == 0)
            continue;
        printf("%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", comma, locklab_bucket_first(bucket),
               locklab_bucket_width(bucket), histogram->counts[bucket]);
        comma = ", ";
    }
    printf("]}");
}

/* Prints a text; a compiler's name and flags need no other escapes. */
static void print_string(const char *name, const char *text)
{
    printf("\"%s\": \"", name);
    for (; *text != '\0'; text++)
        printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    printf("\"");
}

static void print_clock(const struct locklab_clock *clock)
{
    printf("{\"name\": \"%s\", \"ticks_per_ns\": %.9g, \"cost_ns\": %.4g, \"turn_ns\": %.5g, "
           "\"sample_every\": %d}",
           clock->name, clock->ticks_per_ns, clock->cost_ns, clock->turn_ns, LOCKLAB_SAMPLE_EVERY);
}

static void print_side(const char *name, const struct locklab_side *side)
{
    printf(", \"%s\": {\"count\": %" PRIu64 ", \"contended\": %" PRIu64, name, side->count,
           side->contended);
    print_histogram("wait", &side->wait);
    print_histogram("contended_wait", &side->contended_wait);
    print_histogram("hold", &side->hold);
    printf("}");
}

static void print_tally(const struct locklab_tally *tally)
{
    printf("{\"count\": %" PRIu64 ", \"writes\": %" PRIu64 ", \"contended\": %" PRIu64
           ", \"overlaps\": %" PRIu64 ", \"torn\": %" PRIu64 ", \"passed\": %" PRIu64 ", \"wall_ns\": %" PRIu64
           ", \"cpu_ns\": %" PRIu64 ", \"turn_ns\": %.5g",
           tally->count, tally->writes, tally->contended, tally->overlaps, tally->torn,
           tally->passed, tally->wall_ns, tally->cpu_ns, tally->turn_ns);
    if (tally->samples != NULL) {
        print_side("write", &tally->samples->write);
        print_side("read", &tally->samples->read);
    }
    printf("}");
}

static void print_trial(const struct request *request, const struct locklab_clock *clock,
                        const struct locklab_tally *tallies, uint64_t updates)
{
    const struct locklab_plan *plan = &request->plan;

    printf("{\"kernel\": \"%s\", \"kind\": \"%s\", \"loop\": \"%s\", \"read\": %s, "
           "\"threads\": %u, \"cpus\": [",
           request->kernel->name, kind_names[request->kernel->kind], loop_names[request->loop],
           plan->read ? "true" : "false", plan->threads);
    for (unsigned i = 0; plan->cpus != NULL && i < plan->threads; i++)
        printf("%s%d", i > 0 ? ", " : "", plan->cpus[i]);
    printf("], \"iterations\": %" PRIu64 ", \"warmup_ns\": %" PRIu64 ", \"duration_ns\": %" PRIu64
           ", \"mix\": {\"hold\": %" PRIu32 ", \"think\": %" PRIu32 ", \"write_share\": %" PRIu32
           ", \"option\": %" PRIu32 ", \"seed\": %" PRIu64 "}",
           plan->iterations, plan->warmup_ns, plan->duration_ns, plan->mix.hold, plan->mix.think,
           plan->mix.write_share, plan->mix.option, plan->mix.seed);
    printf(", \"clock\": ");
    print_clock(clock);
    printf(", \"build\": {");
    print_string("compiler", LOCKLAB_COMPILER);
    printf(", ");
    print_string("flags", LOCKLAB_FLAGS);
    printf(", ");
    print_string("urcu", LOCKLAB_URCU_VERSION);
    printf("}, \"updates\": %" PRIu64 ", \"tallies\": [", updates);
    for (unsigned i = 0; i < plan->threads; i++) {
        printf("%s", i > 0 ? ", " : "");
        print_tally(&tallies[i]);
    }
    printf("]}\n");
}

static enum status judge(const struct request *request, const struct locklab_tally *tallies,
                         uint64_t updates)
{
    uint64_t wrong = 0, writes = 0;

    if (request->loop != LOCKLAB_VALIDATE && request->loop != LOCKLAB_TORTURE)
        return GOOD;
    for (unsigned i = 0; i < request->plan.threads; i++) {
        wrong += tallies[i].overlaps + tallies[i].torn;
        writes += tallies[i].writes;
    }
    return wrong > 0 || writes != updates ? WRONG : GOOD;
}

static int run(int argc, char **argv)
{
    struct request request = read_request(argc, argv);
    struct locklab_clock clock = locklab_clock_calibrate();
    bool sampled = request.loop == LOCKLAB_LATENCY;
    struct locklab_tally *tallies = locklab_tallies_new(request.plan.threads, sampled);
    struct locklab_outcome outcome;

    if (tallies == NULL)
        stop(NO_THREAD, "no memory", "");
    outcome = locklab_run(request.kernel->loops[request.loop], &request.plan, tallies);
    if (outcome.stage == LOCKLAB_STUCK)
        stop(STUCK, "the threads did not finish within --patience-ms; the stuck kernel is ",
             request.kernel->name);
    if (outcome.stage == LOCKLAB_NOT_PINNED) {
        fprintf(stderr,
                "error: thread %u could not be pinned to CPU %d: %s. The container or a cgroup may "
                "forbid it: choose other CPUs, or run without pinning (no --cpus, --placement free)\n",
                outcome.thread, request.plan.cpus[outcome.thread], strerror(outcome.error));
        exit(NO_THREAD);
    }
    if (outcome.stage == LOCKLAB_NO_THREAD) {
        fprintf(stderr,
                "error: only %u of %u threads could be created: %s. Ask for fewer, or raise the limit "
                "on processes (ulimit -u)\n",
                outcome.thread, request.plan.threads, strerror(outcome.error));
        exit(NO_THREAD);
    }
    if (outcome.stage != LOCKLAB_DONE) {
        fprintf(stderr,
                "error: %s could not be prepared for %u threads: %s. Ask for fewer threads, raise the "
                "limits (ulimit -n, ulimit -v), or run where the files and sockets that it needs are "
                "allowed\n",
                request.kernel->name, request.plan.threads, strerror(outcome.error));
        exit(NO_THREAD);
    }
    print_trial(&request, &clock, tallies, outcome.updates);
    return judge(&request, tallies, outcome.updates);
}

static int list(void)
{
    const struct locklab_kernel *kernel;

    for (unsigned i = 0; (kernel = locklab_kernel_at(i)) != NULL; i++) {
        const char *comma = "";
        bool has_read = false;

        printf("{\"name\": \"%s\", \"kind\": \"%s\", \"loops\": [", kernel->name,
               kind_names[kernel->kind]);
        for (int loop = 0; loop < LOCKLAB_LOOPS; loop++) {
            if (kernel->loops[loop] == NULL)
                continue;
            printf("%s\"%s\"", comma, loop_names[loop]);
            has_read = has_read || kernel->loops[loop]->has_read;
            comma = ", ";
        }
        printf("], \"read\": %s}\n", has_read ? "true" : "false");
    }
    return GOOD;
}

static int show_clock(void)
{
    struct locklab_clock clock = locklab_clock_calibrate();

    print_clock(&clock);
    printf("\n");
    return GOOD;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list();
    if (argc == 2 && strcmp(argv[1], "clock") == 0)
        return show_clock();
    if (argc >= 2 && strcmp(argv[1], "run") == 0)
        return run(argc - 1, argv + 1);
    stop(BAD_REQUEST, "usage: locklab-native list | clock | run KERNEL [options]", "");
}
