/* SPDX-License-Identifier: MIT */
/*
 * The explorer's client of a lockref. SCENARIO names what it asks.
 *
 *   COUNT  threads get and put while thread 0 holds the lock: the count is right, stands still under
 *          the lock, and the lock excludes
 *   LAST   each thread has a reference to an object and puts it: exactly one is told that none is
 *          left, sees what the others did, and frees the object
 *   DEAD   thread 0 marks the object dead if only its own reference is left, and frees it; the
 *          others get a reference only while the object lives
 *   KEEPS  each thread has a reference and puts it by put_or_lock: exactly one keeps the last, and
 *          holds the lock
 *   LOCKLESS  a thread that no other disturbs counts by one write, without the lock
 */
#define COUNT 1
#define LAST 2
#define DEAD 3
#define KEEPS 4
#define LOCKLESS 5

#if SCENARIO == LOCKLESS
#define COUNTING(name, call)                                                                       \
    do {                                                                                           \
        unsigned long before = locklab_writes();                                                   \
                                                                                                   \
        CALL(call);                                                                                \
        if (locklab_writes() != before + 1)                                                        \
            locklab_fail_to_read("no thread holds the lock, and " name " does not write once");    \
    } while (0)
#endif
#include "sections.h"

static unsigned *object;       /* a word for each thread */
static _Atomic(unsigned) last; /* threads that were told that theirs is the last */

static inline int32_t counted_alone(void)
{
    int32_t references;

    acquire(0);
    references = counted();
    release(0);
    return references;
}

void locklab_setup(void)
{
    lock_begin();
    object = calloc(8, sizeof(*object));
    if (SCENARIO == LAST || SCENARIO == KEEPS) /* the maker's is thread 0's */
        for (int i = 1; i < locklab_threads(); i++)
            get();
}

static inline void counts(int me)
{
    if (me > 0) {
        get();
        locklab_mark("got a reference");
        put();
        locklab_mark("put a reference");
        return;
    }
    acquire(0);
    {
        int32_t references = counted();

        count++;
        if (references < 1 || references > locklab_threads())
            locklab_fail("the count is wrong: more or fewer references than were taken");
        if (counted() != references)
            locklab_fail("the count changes while a thread holds the lock");
    }
    release(0);
}

static inline void puts_the_last(int me)
{
    uint32_t left;

    object[me] = 1;
    left = put();
    locklab_mark("put a reference");
    if (left > 0)
        return;
    if (atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) != 0)
        locklab_fail("two threads are told that no reference is left");
    for (int i = 0; i < locklab_threads(); i++)
        locklab_assert(object[i] == 1);
    free(object);
    object = NULL;
}

static inline void kills(void)
{
    bool dead;

    acquire(0);
    dead = counted() == 1;
    if (dead)
        mark_dead();
    release(0);
    if (dead)
        free(object);
    atomic_store_explicit(&last, dead, memory_order_relaxed);
}

static inline void uses(int me)
{
    if (!get_not_zero())
        return;
    object[me] = 1;
    if (!put_or_lock())
        locklab_fail("put_or_lock() is false, but the maker has a reference");
}

static inline void keeps(int me)
{
    object[me] = 1;
    if (put_or_lock()) {
        write_section((unsigned)me);
        return;
    }
    hold();
    if (atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) != 0)
        locklab_fail("two threads keep the last reference");
    if (counted() != 1)
        locklab_fail("the count is wrong: put_or_lock() is false, and other references are left");
    for (int i = 0; i < locklab_threads(); i++)
        locklab_assert(object[i] == 1);
    mark_dead();
    release((unsigned)me);
}

static inline void counts_alone(void)
{
    get();
    put();
    locklab_assert(get_not_zero());
    locklab_assert(put_or_lock());
}

void locklab_thread(int me)
{
#if SCENARIO == LOCKLESS
    if (me == 0)
        counts_alone();
#elif SCENARIO == COUNT
    counts(me);
#elif SCENARIO == LAST
    puts_the_last(me);
#elif SCENARIO == DEAD
    if (me == 0)
        kills();
    else
        uses(me);
#else
    keeps(me);
#endif
    errs(me);
}

void locklab_check(void)
{
#if SCENARIO == LAST
    if (atomic_load(&last) != 1)
        locklab_fail("no thread is told that no reference is left");
    if (get_not_zero())
        locklab_fail("get_not_zero() is true, but no reference is left");
#elif SCENARIO == KEEPS
    if (atomic_load(&last) != 1)
        locklab_fail("no thread keeps the last reference");
    if (counted_alone() >= 0)
        locklab_fail("the count is not negative after mark_dead()");
    free(object);
#elif SCENARIO == DEAD
    if (atomic_load(&last) == 1 && get_not_zero())
        locklab_fail("get_not_zero() is true, but the object is dead");
    if (atomic_load(&last) == 0) {
        locklab_assert(counted_alone() == 1);
        free(object);
    }
#else
    if (counted_alone() != 1)
        locklab_fail("the count is wrong: all threads have put what they took, and one is left over");
    free(object);
#endif
    end_errs();
}
