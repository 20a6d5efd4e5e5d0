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
 */
#include <stdlib.h>
#include <urcu.h>

#include "client.h"

#define REPLACE 1
#define RECLAIM 2
#define WRITERS 3
#define HIT 4
#define LOCKLESS 5
#define HELD 6

#define LATE_READER 1 /* reads what was freed */
#define UNPROTECTED 2 /* writes and reads a plain word at once */
#define WRONG_END 3   /* expects an impossible answer */

#ifndef CANARY
#define CANARY 0
#endif

/* Around a call of the submission: no callee-saved register is in use here, so a submission that
 * changes them has no effect. The caller's values are restored from a frame that it cannot write. */
#if defined(__x86_64__)
#define GATE() __asm__ volatile("" : : : "rbx", "r12", "r13", "r14", "r15", "memory")
#else
#define GATE()                                                                                     \
    __asm__ volatile(""                                                                            \
                     :                                                                             \
                     :                                                                             \
                     : "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28",       \
                       "memory")
#endif

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

__attribute__((noinline)) static void call(unsigned which)
{
    GATE();
    locklab_lend(NULL, 0);
    if (which == INIT)
        avc_init();
    else if (which == RECLAIMING)
        avc_reclaim();
    else
        avc_destroy();
    GATE();
}

/* The version that a lookup finds; 0 if it finds nothing. */
static unsigned look(unsigned number)
{
    const struct avc_key key = key_of(number);
    struct avc_decision found;
    struct avc_decision right;

    if (!lookup(&key, &found))
        return 0;
    right = decision_of(number, found.seqno);
    locklab_assert(found.allowed == right.allowed && found.decided == right.decided &&
                   found.auditallow == right.auditallow);
    return found.seqno;
}

static void put(unsigned number, unsigned version)
{
    const struct avc_key key = key_of(number);
    const struct avc_decision decision = decision_of(number, version);

    locklab_assert(insert(&key, &decision));
}

#define HAS_LOAD (SCENARIO == HIT || SCENARIO == LOCKLESS || SCENARIO == HELD)
#if HAS_LOAD
#define ASKS_WRITES (SCENARIO != HELD)
#define ASKS_MARKED (SCENARIO == HIT)
#include "load.h"
#endif
#if SCENARIO == HELD
#include "held.h"
#endif

#if CANARY == LATE_READER
static unsigned *box;
#elif CANARY == UNPROTECTED
static unsigned plain;
#endif

static void writer_errs(void)
{
#if CANARY == LATE_READER
    unsigned *old = box;

    rcu_assign_pointer(box, NULL);
    synchronize_rcu();
    free(old);
#elif CANARY == UNPROTECTED
    plain++;
#endif
}

static void reader_errs(void)
{
#if CANARY == LATE_READER
    unsigned *seen;

    rcu_read_lock();
    seen = rcu_dereference(box);
    rcu_read_unlock();
    if (seen != NULL)
        locklab_assert(*seen == 1);
#elif CANARY == UNPROTECTED
    locklab_assert(plain < 2);
#endif
}

void locklab_setup(void)
{
    rcu_register_thread();
    call(INIT);
    locklab_assert(look(0) == 0);
#if SCENARIO == HELD
    held_before();
#elif HAS_LOAD
    load_before();
#else
    put(0, 1);
#endif
#if CANARY == LATE_READER
    box = malloc(sizeof(*box));
    *box = 1;
#endif
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
#if HAS_LOAD
#if SCENARIO == HELD
    held_thread(me);
#else
    load_thread(me);
#endif
    if (me == 0)
        writer_errs();
    else
        reader_errs();
#elif SCENARIO == WRITERS
    put(1 + (unsigned)me, 1);
    put(0, 2 + (unsigned)me);
    if (me == 0)
        writer_errs();
    else
        reader_errs();
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
#if SCENARIO == HELD
    held_after();
#elif HAS_LOAD
    load_after();
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
#if CANARY == WRONG_END
    locklab_assert(look(1000) != 0);
#endif
    call(DESTROY);
    rcu_unregister_thread();
}
