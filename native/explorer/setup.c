/* SPDX-License-Identifier: MIT */
/*
 * What setup leaves, kept for the runs that begin alike.
 *
 * While setup runs there is one thread, the conductor: it is *sole*. Its steps have one order, and all
 * of them happen before everything else. So nothing of them has to be remembered: no event, no
 * message, no access that another could race with, and stores reach memory at once (memory.c,
 * events.c, races.c). When setup is over its result is memory: statics, blocks of malloc, the
 * conductor's thread-local variables. They are copied here, and every run begins from the copy, the
 * first one too. A setup is made again when a number that it has asked for (locklab_any) is another
 * one, or the bound of the search has grown.
 *
 * A setup that makes a thread (pthread_create, or call_rcu's) is not sole from then on, and is a
 * part of each run.
 */
#include <stdlib.h>
#include <string.h>

#include "explorer.h"

struct piece {
    address at;
    size_t size, room;
    char *bytes;
};

enum { OF_THE_HEAP = STATICS, LOCALS, PIECES };

static bool is_sole, is_kept;
static struct piece pieces[PIECES];
static char conductor[offsetof(struct thread, frames)];
static uint64_t hash;

void ex_sole_begin(bool has_setup)
{
    is_sole = has_setup;
    is_kept = false;
}

void ex_sole_end(void)
{
    is_sole = false;
}

bool ex_is_sole(void)
{
    return is_sole;
}

static void keep(struct piece *piece, address from, address to)
{
    piece->at = from;
    piece->size = to - from;
    if (piece->size > piece->room) {
        free(piece->bytes);
        piece->bytes = malloc(piece->room = piece->size);
        if (piece->bytes == NULL)
            ex_give_up("no memory for a copy of what setup leaves");
    }
    if (piece->size > 0)
        memcpy(piece->bytes, (const void *)from, piece->size);
}

static void put_back(const struct piece *piece)
{
    if (piece->size > 0)
        memcpy((void *)piece->at, piece->bytes, piece->size);
}

bool ex_setup_is_kept(void)
{
    return is_kept && ex_search_begins_alike();
}

void ex_setup_keep(void)
{
    const struct thread *thread = &ex_threads[ex_conductor];
    address from, to, top = ex_stack_top(thread);

    for (unsigned i = 0; i < STATICS; i++) {
        ex_statics_range(i, &from, &to);
        keep(&pieces[i], from, to);
    }
    ex_heap_keep(&from, &to);
    keep(&pieces[OF_THE_HEAP], from, to);
    keep(&pieces[LOCALS], top, top + ex_locals_size());
    memcpy(conductor, thread, sizeof(conductor));
    hash = ex_memory_hash;
    ex_search_keep();
    ex_report_keep();
    ex_schedule_keep();
    is_kept = true;
}

struct thread *ex_setup_put_back(void *(*start)(void *))
{
    struct thread *thread = &ex_threads[ex_conductor];

    ex_heap_put_back();
    ex_search_put_back();
    ex_report_put_back();
    ex_schedule_put_back();
    memcpy(thread, conductor, sizeof(conductor));
    ex_start_again(thread, start);
    for (unsigned i = 0; i < PIECES; i++)
        put_back(&pieces[i]);
    ex_memory_hash = hash;
    return thread;
}
