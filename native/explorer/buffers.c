/* SPDX-License-Identifier: MIT */
/*
 * Store buffers: total store order, as x86 processors do (Owens, Sarkar and Sewell, TPHOLs 2009).
 *
 * An atomic store that is not SEQ_CST enters its thread's buffer, first in first out, and reaches
 * memory at any later time, even after the thread has ended. That is a step of its own, of an agent
 * of its own (events.c). A load takes the youngest buffered store to its word, else memory.
 * Read-modify-writes, SEQ_CST stores and SEQ_CST fences wait until the buffer is empty. So does a
 * load that overlaps a buffered store without lying inside it, as the processor does.
 *
 * Plain stores are never buffered. No thread could observe it without a data race: whatever orders a
 * reader after a plain store is a later atomic store of the same thread, which leaves the buffer
 * later.
 */
#include <string.h>

#include "explorer.h"

void ex_arrive(const struct thread *by, address at, unsigned size, value what)
{
    ex_stack_access(by, at, size, true);
    ex_memory_write(at, &what, size);
}

void ex_reach_memory(const struct thread *by, address at, unsigned size, value what,
                     const struct clock *released, bool is_update, bool from_buffer)
{
    ex_arrive(from_buffer ? NULL : by, at, size, what);
    ex_publish(by, at, size, released, is_update);
}

/* The thread's youngest store to any of these bytes, or NULL. */
const struct buffered *ex_buffered(const struct thread *thread, address at, size_t size)
{
    for (unsigned i = thread->buffered; i-- > 0;) {
        const struct buffered *store = &thread->buffer[i];

        if (store->at < at + size && at < store->at + store->size)
            return store;
    }
    return NULL;
}

bool ex_buffer_covers(const struct buffered *store, address at, size_t size)
{
    return store->at <= at && at + size <= store->at + store->size;
}

void ex_buffer_add(address at, unsigned size, value what, const struct clock *released)
{
    if (ex_self->buffered == MAX_BUFFERED)
        ex_give_up("thread %d has %d stores in its buffer, and there may be more on a processor: "
                   "make the test smaller, or put a fence between them",
                   ex_self->number, MAX_BUFFERED);
    ex_self->buffer[ex_self->buffered++] =
        (struct buffered){at, size, what, *released, ex_self->pc, ex_event_now()};
    ex_self->stored++;
}

void ex_flush_oldest(struct thread *thread)
{
    struct buffered store = thread->buffer[0];
    uint64_t old = ex_peek(store.at, store.size);

    thread->buffered--;
    thread->flushed++;
    memmove(thread->buffer, thread->buffer + 1, thread->buffered * sizeof(store));
    ex_reach_memory(thread, store.at, store.size, store.what, &store.released, false, true);
    ex_step_of(thread, "flush", store.pc, store.at, store.size, old, (uint64_t)store.what);
}
