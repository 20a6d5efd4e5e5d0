/* SPDX-License-Identifier: MIT */
/*
 * Store buffers: total store order, as x86 processors do (Owens, Sarkar and Sewell, TPHOLs 2009).
 *
 * An atomic store that is not SEQ_CST may enter its thread's buffer, first in first out, and
 * reaches memory at any later time, even after the thread has ended. Nobody can tell when, until
 * another thread accesses the word: so then it is chosen whether the store has arrived by now, with
 * those before it. A load takes the youngest buffered store to its word, else memory.
 * Read-modify-writes, SEQ_CST stores and SEQ_CST fences empty the buffer first. A load that
 * overlaps a buffered store without lying inside it empties the buffer too, as the processor then
 * waits for it.
 *
 * Plain stores are never buffered. Nobody could tell without a data race: whatever orders a reader
 * after a plain store is a later atomic store of the same thread, which leaves the buffer later.
 */
#include <string.h>

#include "explorer.h"

static bool overlaps(const struct buffered *store, address at, size_t size)
{
    return store->at < at + size && at < store->at + store->size;
}

void ex_reach_memory(address at, unsigned size, value what, const struct clock *released)
{
    ex_memory_write(at, &what, size);
    ex_publish(at, size, released);
}

/* The calling thread's youngest store to any of these bytes, or NULL. */
const struct buffered *ex_buffered(address at, size_t size)
{
    for (unsigned i = ex_self->buffered; i-- > 0;)
        if (overlaps(&ex_self->buffer[i], at, size))
            return &ex_self->buffer[i];
    return NULL;
}

void ex_flush_oldest(struct thread *thread)
{
    struct buffered store = thread->buffer[0];
    uint64_t old = ex_peek(store.at, store.size);

    thread->buffered--;
    memmove(thread->buffer, thread->buffer + 1, thread->buffered * sizeof(store));
    ex_reach_memory(store.at, store.size, store.what, &store.released);
    ex_step_of(thread, "flush", store.pc, store.at, store.size, old, (uint64_t)store.what);
}

void ex_drain(struct thread *thread)
{
    while (thread->buffered > 0)
        ex_flush_oldest(thread);
}

/* When nobody can go on unless a store arrives: whose, is a choice. */
bool ex_flush_any(void)
{
    struct choice choices[MAX_THREADS];
    struct thread *waiting[MAX_THREADS];
    unsigned n = 0;

    for (int i = 0; i < MAX_THREADS; i++)
        if (ex_threads[i].stage != UNUSED && ex_threads[i].buffered > 0) {
            choices[n] = (struct choice){-1, 0};
            waiting[n++] = &ex_threads[i];
        }
    if (n > 0)
        ex_flush_oldest(waiting[ex_choose(choices, n)]);
    return n > 0;
}

/* The thread that runs is about to access these bytes: which of another's stores to them, with all
 * older ones, have arrived? */
static void let_arrive(struct thread *other, address at, unsigned size)
{
    static const struct choice choices[MAX_BUFFERED + 1] = {
        {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}};
    unsigned ends[MAX_BUFFERED + 1] = {0}, n = 1;

    for (unsigned i = 0; i < other->buffered; i++)
        if (overlaps(&other->buffer[i], at, size))
            ends[n++] = i + 1;
    for (unsigned left = ends[ex_choose(choices, n)]; left > 0; left--)
        ex_flush_oldest(other);
}

void ex_let_arrive(address at, unsigned size)
{
    if (!ex_options.tso)
        return;
    for (int i = 0; i < MAX_THREADS; i++)
        if (&ex_threads[i] != ex_self && ex_threads[i].stage != UNUSED)
            let_arrive(&ex_threads[i], at, size);
}

uint64_t ex_visible(void)
{
    uint64_t hash = ex_memory_hash;

    if (!ex_options.tso)
        return hash;
    for (int i = 0; i < MAX_THREADS; i++)
        for (unsigned j = 0; ex_threads[i].stage != UNUSED && j < ex_threads[i].buffered; j++)
            hash = ex_mix(hash ^ ex_threads[i].buffer[j].at,
                          (uint64_t)ex_threads[i].buffer[j].what + (uint64_t)i);
    return hash;
}
