/* SPDX-License-Identifier: MIT */
/*
 * The explorer's client of an access vector cache: small scenarios, each of which reveals a certain
 * mistake. SCENARIO names one. With CANARY the client itself has a mistake, and an explorer that
 * reports nothing no longer works.
 *
 *   REPLACE   thread 0 replaces a decision twice; the others look it up, and never see an older one
 *             after a newer one, nor half of one
 *   RECLAIM   thread 0 reclaims until the entry goes; the others look it up
 *   WRITERS   threads insert at once, each its own key and a key that all share
 *   HIT       a lookup of a marked entry writes nothing, at any moment of a drawn load (load.h)
 *   LOCKLESS  a lookup writes at most one word: a mark, but no lock; at any moment, too
 *   HELD      a reader stays in its lookup while thread 0 replaces and reclaims many times (held.h)
 * The first three begin with a fresh cache, and once more after many keys have been tried (keys.h).
 */
#include <urcu.h>

#include "client.h"
#include "confined.h"

#define REPLACE 1
#define RECLAIM 2
#define WRITERS 3
#define HIT 4
#define LOCKLESS 5
#define HELD 6
#define N_SCENARIOS 7

__attribute__((noinline)) static bool lookup(const struct avc_key *key, struct avc_decision *found)
{
    bool result;

    GATE();
    locklab_lend(found, sizeof(*found));
    result = avc_lookup(key, found);
    GATE();
    return result;
}

__attribute__((noinline)) static bool insert(const struct avc_key *key,
                                             const struct avc_decision *decision)
{
    bool result;

    GATE();
    locklab_lend(NULL, 0);
    result = avc_insert(key, decision);
    GATE();
    return result;
}

enum { INIT, RECLAIMING, DESTROY };

__attribute__((noinline)) static unsigned call(unsigned which)
{
    unsigned removed = 0;

    GATE();
    locklab_lend(NULL, 0);
    if (which == INIT)
        avc_init();
    else if (which == RECLAIMING)
        removed = avc_reclaim();
    else
        avc_destroy();
    GATE();
    return removed;
}

#define TRY_INSERT insert
#define TRY_LOOKUP lookup
#define TRY_RECLAIM() call(RECLAIMING)
#define TRY_WAIT rcu_barrier
#include "keys.h"

/* The version that a lookup finds; 0 if it finds nothing. */
static unsigned look(unsigned number)
{
    struct avc_decision found;
    struct avc_decision right;

    if (!lookup(&keys[number], &found))
        return 0;
    right = decision_of(number, found.seqno);
    locklab_assert(found.allowed == right.allowed && found.decided == right.decided &&
                   found.auditallow == right.auditallow);
    return found.seqno;
}

static void put(unsigned number, unsigned version)
{
    const struct avc_decision decision = decision_of(number, version);

    locklab_assert(insert(&keys[number], &decision));
}

#define ASKS_WRITES (SCENARIO != HELD)
#define ASKS_MARKED (SCENARIO == HIT)
#if SCENARIO == HELD
#include "held.h"
#define LOAD(moment) held_##moment
#elif SCENARIO == HIT || SCENARIO == LOCKLESS
#include "load.h"
#define LOAD(moment) load_##moment
#endif

void locklab_setup(void)
{
    rcu_register_thread();
    call(INIT);
#ifdef LOAD
    LOAD(before)();
#else
    keys_draw(locklab_seed() * N_SCENARIOS + SCENARIO, locklab_any(2));
    locklab_assert(look(0) == 0);
    put(0, 1);
#endif
    setup_errs();
}

static void reader(void)
{
    unsigned first;

    reader_errs();
    first = look(0);
#if SCENARIO == REPLACE
    locklab_assert(first >= 1);
    locklab_assert(look(0) >= first);
#elif SCENARIO == RECLAIM
    locklab_assert(first <= 1);
#else
    (void)first;
#endif
}

void locklab_thread(int me)
{
    rcu_register_thread();
#ifdef LOAD
    LOAD(thread)(me);
    errs(me);
#elif SCENARIO == WRITERS
    put(1 + (unsigned)me, 1);
    put(0, 2 + (unsigned)me);
    errs(me);
    locklab_assert(look(0) >= 1 && look(1 + (unsigned)me) == 1);
#else
    if (me > 0) {
        reader();
    } else {
#if SCENARIO == REPLACE
        put(0, 2);
        put(0, 3);
#else
        call(RECLAIMING);
        call(RECLAIMING);
#endif
        writer_errs();
    }
#endif
    rcu_unregister_thread();
}

void locklab_check(void)
{
#ifdef LOAD
    LOAD(after)();
#else
    unsigned last = look(0);
#endif

#if SCENARIO == REPLACE
    locklab_assert(last == 3);
#elif SCENARIO == WRITERS
    locklab_assert(last >= 2);
    for (int i = 0; i < locklab_threads(); i++)
        locklab_assert(look(1 + (unsigned)i) == 1);
#elif SCENARIO == RECLAIM
    locklab_assert(last <= 1);
    call(RECLAIMING); /* removes the mark of a reader in between, or of our own lookup */
    call(RECLAIMING);
    locklab_assert(look(0) == 0);
#endif
    end_errs();
    call(DESTROY);
    rcu_unregister_thread();
}
