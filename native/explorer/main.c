/* SPDX-License-Identifier: MIT */
/* Options, and the loop over all runs. Called by locknative.explore, not by hand: nothing here is
 * checked a second time. The report goes to the file named first, "-" being standard output. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "explorer.h"

struct options ex_options = {.threads = 2, .preemptions = -1, .runs = 1, .max_steps = 200000, .leaks = true,
                             .workers = 1};

static const char *report;
static uint64_t runs, traces;
static struct timespec began;

uint64_t ex_runs(void)
{
    return runs;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - began.tv_sec) + 1e-9 * (double)(now.tv_nsec - began.tv_nsec);
}

void ex_finish(enum outcome outcome)
{
    int fd = strcmp(report, "-") == 0 ? STDOUT_FILENO
                                      : open(report, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    ex_report(fd,
              outcome == FAILED    ? "violated"
              : outcome == GAVE_UP ? "unfinished"
                                   : "passed",
              runs, traces, seconds());
    fflush(NULL);
    _exit(fd < 0);
}

static void read_options(char **words)
{
    for (; words[0] != NULL && words[1] != NULL; words += 2) {
        const char *name = words[0], *text = words[1];

        if (strcmp(name, "threads") == 0)
            ex_options.threads = atoi(text);
        else if (strcmp(name, "preemptions") == 0)
            ex_options.preemptions = atoi(text);
        else if (strcmp(name, "memory") == 0)
            ex_options.tso = strcmp(text, "tso") == 0, ex_options.c11 = strcmp(text, "c11") == 0;
        else if (strcmp(name, "pct") == 0)
            ex_options.pct_depth = atoi(text);
        else if (strcmp(name, "runs") == 0)
            ex_options.runs = strtoull(text, NULL, 10);
        else if (strcmp(name, "most-runs") == 0)
            ex_options.most = strtoull(text, NULL, 10);
        else if (strcmp(name, "most-steps") == 0)
            ex_options.most_steps = strtoull(text, NULL, 10);
        else if (strcmp(name, "skip-private") == 0)
            ex_options.skip_private = atoi(text) != 0;
        else if (strcmp(name, "seed") == 0)
            ex_options.seed = strtoull(text, NULL, 10);
        else if (strcmp(name, "seconds") == 0)
            ex_options.seconds = atof(text);
        else if (strcmp(name, "max-steps") == 0)
            ex_options.max_steps = strtoull(text, NULL, 10);
        else if (strcmp(name, "every-access") == 0)
            ex_options.every_access = atoi(text) != 0;
        else if (strcmp(name, "spurious") == 0)
            ex_options.spurious = atoi(text) != 0;
        else if (strcmp(name, "malloc-fails") == 0)
            ex_options.malloc_fails = atoi(text) != 0;
        else if (strcmp(name, "release-sequences") == 0)
            ex_options.cpp20 = strcmp(text, "c++20") == 0;
        else if (strcmp(name, "leaks") == 0)
            ex_options.leaks = atoi(text) != 0;
        else if (strcmp(name, "shuffles") == 0)
            ex_options.shuffles = strtoull(text, NULL, 10);
        else if (strcmp(name, "confine") == 0)
            ex_options.confine = text;
        else if (strcmp(name, "replay") == 0)
            ex_options.replay = text;
        else if (strcmp(name, "worker") == 0)
            ex_options.worker = atoi(text);
        else if (strcmp(name, "workers") == 0)
            ex_options.workers = atoi(text);
        else if (strcmp(name, "shared") == 0)
            ex_options.shared = text;
    }
}

int main(int argc, char **argv)
{
    const struct itimerval second = {{1, 0}, {1, 0}};

    if (argc < 2)
        return 2;
    report = argv[1];
    read_options(argv + 2);
    clock_gettime(CLOCK_MONOTONIC, &began);
    ex_statics_save();
    ex_stacks_make();
    ex_signals_catch();
    setitimer(ITIMER_VIRTUAL, &second, NULL);
    ex_time_limit();
    ex_search_begin();
    ex_parts_begin();
    do {
        enum outcome outcome;

        if ((ex_options.most > 0 && runs == ex_options.most) ||
            (ex_options.most_steps > 0 && ex_total_steps() > ex_options.most_steps)) {
            if (ex_search_stops() && !ex_is_open())
                ex_finish(ENDED_WELL);
            ex_give_up("%zu runs of %zu steps together have been made, and there are more: make the test "
                       "smaller",
                       (size_t)runs, (size_t)ex_total_steps());
        }
        outcome = ex_run_once();
        if (!ex_parts_run_ends()) {
            ex_report_forget();
            continue;
        }
        runs++;
        traces += outcome == ENDED_WELL;
        if (outcome == FAILED || outcome == GAVE_UP) {
            ex_parts_fails();
            ex_finish(outcome);
        }
        if (ex_time_is_up())
            ex_give_up_for_time();
        if (runs % 256 == 0)
            ex_parts_tell(runs, ex_search_done());
    } while (ex_search_next());
    ex_finish(ex_is_open() ? GAVE_UP : ENDED_WELL);
}
