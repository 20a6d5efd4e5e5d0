/* SPDX-License-Identifier: MIT */
/*
 * RCU through liburcu: one pointer to a version, readers that follow it, updaters that replace it.
 *
 * Mechanism. A reader marks a read-side section, loads the pointer and reads the version that it
 * found. An updater copies the version, changes the copy, publishes it, waits until every reader
 * that may still be in the old one has left (a grace period), and only then poisons and frees that.
 * The flavours differ in how a reader is known to have left: memb counts sections and lets the
 * updater send a barrier to all CPUs (the membarrier system call), mb has the readers issue
 * barriers, bp is memb whose readers need not register, qsbr has readers do nothing but say now and
 * then that they hold no version (a quiescent state).
 *
 * Invariants. A version is written only before it is published and after a grace period. At most
 * one updater at a time replaces it (a lock; waited for offline, as a qsbr reader that waits online
 * would hold all grace periods up).
 *
 * Each flavour is an adapter of its own, because liburcu's macros give all of them the same names;
 * it is included before this file, with URCU_API_MAP and with _LGPL_SOURCE, which inlines the read
 * side. liburcu asks for a licence that is compatible with the LGPL then; MIT is.
 *
 * liburcu keeps a list of threads and locks of its own, so a worker must not be jumped out of (as
 * harness/run.c does with those that do not come back): it blocks the signal while it is
 * registered, and looks at the stop flag.
 *
 * What it is not. The grace period that is timed is that of liburcu's process-wide state: others in
 * the process that use the same flavour lengthen it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "harness/harness.h"
#include "locklab/ticket.h"

/* Two words that are equal in a version that may be read. Atomics used relaxed, as a broken grace
 * period lets a reader meet the poison. */
struct version {
    struct rcu_head head;
    _Atomic(uint64_t) first;
    _Atomic(uint64_t) second;
};

#define POISON UINT64_C(0xDEADDEADDEADDEAD)

struct state {
    _Alignas(LOCKLAB_PAD) struct version *current;
    _Alignas(LOCKLAB_PAD) struct locklab_ticket lock; /* between updaters */
};

static inline uint64_t get(_Atomic(uint64_t) *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static inline void put(_Atomic(uint64_t) *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static void *prepare(unsigned threads)
{
    struct state *state = aligned_alloc(LOCKLAB_PAD, sizeof(*state));

    (void)threads;
    if (state == NULL)
        return NULL;
    locklab_ticket_init(&state->lock);
    state->current = calloc(1, sizeof(struct version));
    if (state->current == NULL) {
        free(state);
        return NULL;
    }
    return state;
}

/* How often the version was replaced. */
static uint64_t updates(const void *arg)
{
    const struct state *state = arg;

    return get(&state->current->first);
}

static void dispose(void *arg)
{
    struct state *state = arg;

    free(state->current);
    free(state);
}

/* Registers the calling thread, and blocks all signals; leave() puts them back to `before`. */
static void enter(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    rcu_register_thread();
}

static void leave(const sigset_t *before)
{
    rcu_unregister_thread();
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Publishes a version with both words counted up; returns the old one, or NULL: no memory. To be
 * called outside a section. */
static struct version *replace(struct state *state)
{
    struct version *old = NULL, *new = malloc(sizeof(*new));

    if (new == NULL)
        return NULL;
    rcu_thread_offline();
    locklab_ticket_acquire(&state->lock);
    old = state->current;
    put(&new->first, get(&old->first) + 1);
    put(&new->second, get(&old->second) + 1);
    rcu_assign_pointer(state->current, new);
    locklab_ticket_release(&state->lock);
    rcu_thread_online();
    return old;
}

/* What no reader may see. */
static inline void poison_and_free(struct version *version)
{
    put(&version->first, POISON);
    put(&version->second, ~POISON);
    free(version);
}
