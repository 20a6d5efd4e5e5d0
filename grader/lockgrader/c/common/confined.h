/* SPDX-License-Identifier: MIT */
/*
 * What the explorer's clients share: how a submission is called that is not trusted, and the
 * deliberate mistakes of a client. With CANARY the client makes one of them, and an explorer that
 * reports nothing no longer works.
 */
#ifndef LOCKLAB_CONFINED_H
#define LOCKLAB_CONFINED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

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

/* What the client does for itself is no step of a run. */
#define UNSEEN __attribute__((no_sanitize_thread)) static

/* A function that calls the submission, and such a call, which may write nothing for its caller. */
#define CALLER __attribute__((noinline)) static
#define CALL(call)                                                                                 \
    do {                                                                                           \
        GATE();                                                                                    \
        locklab_lend(NULL, 0);                                                                     \
        call;                                                                                      \
        GATE();                                                                                    \
    } while (0)

#define LATE_READER 1 /* reads what was freed */
#define UNPROTECTED 2 /* writes and reads a plain word at once */
#define WRONG_END 3   /* expects an impossible answer */

#ifndef CANARY
#define CANARY 0
#endif

#if CANARY == LATE_READER
static _Atomic(unsigned *) box;
#elif CANARY == UNPROTECTED
static unsigned plain;
#endif

static void setup_errs(void)
{
#if CANARY == LATE_READER
    unsigned *made = malloc(sizeof(*made));

    *made = 1;
    atomic_init(&box, made);
#endif
}

/* In one thread. */
static void writer_errs(void)
{
#if CANARY == LATE_READER
    free(atomic_exchange(&box, NULL));
#elif CANARY == UNPROTECTED
    plain++;
#endif
}

/* In the others. */
static void reader_errs(void)
{
#if CANARY == LATE_READER
    unsigned *seen = atomic_load(&box);

    if (seen != NULL)
        locklab_assert(*seen == 1);
#elif CANARY == UNPROTECTED
    locklab_assert(plain < 2);
#endif
}

static void end_errs(void)
{
    locklab_assert(CANARY != WRONG_END);
}

static inline void errs(int me)
{
    if (me == 0)
        writer_errs();
    else
        reader_errs();
}

#endif
