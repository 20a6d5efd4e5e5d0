/* SPDX-License-Identifier: MIT */
/*
 * The explorer's client of a sequence lock. SCENARIO names what it asks.
 *
 *   TORN     thread 0 writes two words, the others read them: both of one version, and the second
 *            look is true whenever they are not
 *   WRITERS  all threads write: no two at once
 *   QUIET    readers write nothing, read once where no writer is, and read again after one
 *   CROWD    as TORN, with two writers: threads 0 and 1
 */
#define TORN 1
#define WRITERS 2
#define QUIET 3
#define CROWD 4

#define HOLDS (SCENARIO == TORN || SCENARIO == CROWD)
#if SCENARIO == QUIET
#define READING(call)                                                                              \
    do {                                                                                           \
        unsigned long before = locklab_writes();                                                   \
                                                                                                   \
        CALL(call);                                                                                \
        if (locklab_writes() != before)                                                            \
            locklab_fail_to_read("a reader writes words that others read");                        \
    } while (0)
#endif
#include "sections.h"

#define WRITING (SCENARIO == CROWD ? 2 : 1) /* threads that write, where the others read */

static _Atomic(uint32_t) first, second;

static void count_up(_Atomic(uint32_t) *word)
{
    uint32_t was = atomic_load_explicit(word, memory_order_relaxed);

    atomic_store_explicit(word, was + 1, memory_order_relaxed);
}

static inline void write_both(unsigned me)
{
    acquire(me);
    locklab_mark("begins to write");
    count_up(&first);
    count_up(&second);
    release(me);
    locklab_mark("has written");
}

static inline void read_both(void)
{
    uint32_t number, one, other;

    do {
        number = read_begin();
        one = atomic_load_explicit(&first, memory_order_relaxed);
        other = atomic_load_explicit(&second, memory_order_relaxed);
    } while (read_retry(number));
    locklab_mark("has read");
    if (one != other)
        locklab_fail("a torn read: the two words are of different versions, and read_retry() is false");
}

void locklab_setup(void)
{
    lock_begin();
}

void locklab_thread(int me)
{
#if SCENARIO == TORN || SCENARIO == CROWD
    if (me < WRITING)
        write_both((unsigned)me);
    else
        read_both();
#elif SCENARIO == WRITERS
    write_section((unsigned)me);
#else
    (void)me;
    if (read_retry(read_begin()))
        locklab_fail("read_retry() is true, but there was no writer");
#endif
    errs(me);
}

void locklab_check(void)
{
    uint32_t number = read_begin();

    locklab_assert(!read_retry(number));
    write_both(0);
    if (!read_retry(number))
        locklab_fail("read_retry() is false, but a writer was inside since read_begin()");
    read_both();
#if SCENARIO == WRITERS
    locklab_assert(count == (unsigned)locklab_threads());
#elif SCENARIO == CROWD
    if (atomic_load_explicit(&second, memory_order_relaxed) != WRITING + 1)
        locklab_fail("a write is lost: two writers were inside at once");
#endif
    end_errs();
}
