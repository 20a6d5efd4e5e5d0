/* SPDX-License-Identifier: MIT */
/* The state of one trial: the lock, the data that it guards, and a node for each thread. */
#include <stdlib.h>
#include <string.h>

#include "harness/adapter.h"
#include "harness/harness.h"

struct seat {
    _Alignas(LOCKLAB_PAD) NODE node;
};

/* The guarded words are relaxed atomics on two lines. So a wrong lock causes no undefined behaviour,
 * and the words add no order of their own that could hide a missing one of the lock. */
struct state {
    _Alignas(LOCKLAB_PAD) LOCK lock;
    _Alignas(LOCKLAB_PAD) _Atomic(uint64_t) first;
    _Alignas(LOCKLAB_PAD) _Atomic(uint64_t) second;
    _Atomic(uint64_t) inside;
    uint64_t plain; /* with LOCKLAB_PLAIN: as `first`, but an ordinary word */
    _Alignas(LOCKLAB_PAD) struct seat seats[];
};

static void *prepare(unsigned threads)
{
    size_t size = sizeof(struct state) + threads * sizeof(struct seat);
    struct state *state = aligned_alloc(LOCKLAB_PAD, size);

    if (state == NULL)
        return NULL;
    memset(state, 0, size);
    INIT_FOR(&state->lock, threads);
    for (unsigned i = 0; i < threads; i++) {
        NODE_SEAT(&state->seats[i].node, i, threads);
        if (!NODE_JOIN(&state->lock, &state->seats[i].node)) {
            free(state);
            return NULL;
        }
    }
    return state;
}

static uint64_t updates(const void *arg)
{
    const struct state *state = arg;

    return atomic_load_explicit(&state->first, memory_order_relaxed);
}
