/* SPDX-License-Identifier: MIT */
/*
 * A search in parts: several processes make it together, and tell how far they have come.
 *
 * The first choices of a run, up to TOP with more than one way, say to which part it belongs. There
 * all ways are tried, also those that the reduction would leave out at once (search.c), so that no part
 * needs to know what is found in another one: an order that has been run in an earlier part is cut
 * short by the sleeping agents. Each process numbers the parts as they come and makes those whose
 * number, modulo the number of processes, is its own. The first part that fails decides, whichever
 * process found it: what is reported does not depend on how fast each is. Random runs are parts of
 * their own, made by turns.
 *
 * What they share is a file that who called has made: the number of that part, and for each process
 * its runs and how much of its search it believes to have done (Knuth, Mathematics of Computation
 * 29, 1975: each choice that is open counts as much as those beside it).
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "explorer.h"

#define TOP 6
#define MAX_WORKERS 64

struct shared {
    _Atomic uint64_t first; /* part that failed, and 1; 0: none */
    struct {
        uint64_t runs;
        double done; /* of 1 */
    } workers[MAX_WORKERS];
};

static struct shared own, *shared = &own;
static unsigned branches; /* first choices of this run with more than one way */
static bool is_mine;
static uint64_t part, failed;

void ex_parts_begin(void)
{
    int fd = ex_options.shared != NULL ? open(ex_options.shared, O_RDWR) : -1;
    void *got;

    part = ex_options.pct_depth > 0 ? (uint64_t)ex_options.worker : 0;
    if (fd < 0)
        return;
    got = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (got != MAP_FAILED)
        shared = got;
}

void ex_parts_run_begins(void)
{
    branches = 0;
}

/* The search is made once more, with runs of another length. */
void ex_parts_begin_again(void)
{
    part = 0;
}

static bool is_split(void)
{
    return ex_options.workers > 1;
}

static bool next_part(void)
{
    is_mine = part++ % (uint64_t)ex_options.workers == (uint64_t)ex_options.worker;
    return is_mine;
}

bool ex_parts_is_top(void)
{
    return is_split() && branches < TOP;
}

bool ex_parts_branch(bool is_new)
{
    return !is_split() || ++branches != TOP || !is_new || next_part();
}

bool ex_parts_run_ends(void)
{
    if (ex_options.pct_depth > 0) {
        part += (uint64_t)ex_options.workers;
        return true;
    }
    return !is_split() || (branches < TOP ? next_part() : is_mine);
}

void ex_parts_fails(void)
{
    uint64_t first = atomic_load(&shared->first);

    failed = part;
    while ((first == 0 || part < first) &&
           !atomic_compare_exchange_weak(&shared->first, &first, part))
        ;
}

bool ex_parts_are_over(void)
{
    uint64_t first = atomic_load(&shared->first);

    return first != 0 && part > first;
}

uint64_t ex_parts_failed(void)
{
    return failed;
}

void ex_parts_tell(uint64_t runs, double done)
{
    shared->workers[ex_options.worker].runs = runs;
    shared->workers[ex_options.worker].done = done;
}
