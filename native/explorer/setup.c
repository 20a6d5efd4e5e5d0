/* SPDX-License-Identifier: MIT */
/*
 * What setup leaves, kept for the runs that begin alike.
 *
 * While setup runs there is one thread, the conductor: it is *sole*. (Others that it sends on errands,
 * by locklab_as(), run in its place.) Its steps have one order, and all of them happen before
 * everything else. So nothing of them has to be remembered: no event, no
 * message, no access that another could race with, and stores reach memory at once (memory.c,
 * events.c, races.c). When setup is over its result is memory: statics, blocks of malloc, the
 * conductor's thread-local variables. They are copied here, and every run begins from the copy, the
 * first one too. A setup is made again when a number that it has asked for (locklab_any) is another
 * one, or the bound of the search has grown.
 *
 * A setup that makes a thread is not sole from then on, and is a part of each run; so is one that ends
 * while callbacks of call_rcu are pending, since they run among the threads.
 */
#include <stdlib.h>
#include <string.h>

#include "explorer.h"

bool ex_sole;
static bool is_kept;
static struct copy statics[MAX_STATICS], locals;
static char conductor[offsetof(struct thread, frames)];

void ex_sole_begin(bool has_setup)
{
    ex_sole = has_setup;
    is_kept = false;
}

void ex_sole_end(void)
{
    ex_sole = false;
}

void ex_copy_keep(struct copy *copy, address from, address to)
{
    copy->at = from;
    copy->size = to - from;
    if (copy->size > copy->room) {
        free(copy->bytes);
        copy->bytes = malloc(copy->room = copy->size);
        if (copy->bytes == NULL)
            ex_give_up("no memory for a copy of what setup leaves");
    }
    if (copy->size > 0)
        memcpy(copy->bytes, (const void *)from, copy->size);
}

void ex_copy_put_back(const struct copy *copy)
{
    if (copy->size > 0)
        memcpy((void *)copy->at, copy->bytes, copy->size);
}

bool ex_setup_is_kept(void)
{
    return is_kept && ex_search_begins_alike();
}

void ex_setup_keep(void)
{
    const struct thread *thread = &ex_threads[ex_conductor];
    address from, to, top = ex_stack_top(thread);

    for (unsigned i = 0; i < ex_statics_count(); i++) {
        ex_statics_range(i, &from, &to);
        ex_copy_keep(&statics[i], from, to);
    }
    ex_copy_keep(&locals, top, top + ex_locals_size());
    ex_heap_keep();
    ex_lifetime_keep();
    ex_keys_keep();
    memcpy(conductor, thread, sizeof(conductor));
    ex_search_keep();
    ex_report_keep();
    ex_schedule_keep();
    is_kept = true;
}

struct thread *ex_setup_put_back(void *(*start)(void *))
{
    struct thread *thread = &ex_threads[ex_conductor];

    ex_heap_put_back();
    ex_lifetime_put_back();
    ex_keys_put_back();
    ex_search_put_back();
    ex_report_put_back();
    ex_schedule_put_back();
    memcpy(thread, conductor, sizeof(conductor));
    ex_start_again(thread, start);
    for (unsigned i = 0; i < ex_statics_count(); i++)
        ex_copy_put_back(&statics[i]);
    ex_copy_put_back(&locals);
    return thread;
}
