/* SPDX-License-Identifier: MIT */
/*
 * What a program says to the explorer, beside C and pthreads.
 *
 * A program has one of two shapes. Either an ordinary main() that creates threads; or the functions
 * below: locklab_setup() runs first and alone, then locklab_thread(me) in each of
 * locklab_threads() threads at once (me counts from 0), then locklab_check() alone. Setup and check
 * may be left out. Everything must be created anew by each run: statics are put back to
 * their first values for it, files and other state of the process are not.
 *
 * `locklab native explore FILE.c` compiles, links and runs such a file.
 */
#ifndef LOCKLAB_EXPLORE_H
#define LOCKLAB_EXPLORE_H

void locklab_setup(void);
void locklab_thread(int me);
void locklab_check(void);

/* How many threads there are: --threads. */
int locklab_threads(void);

/* In locklab_setup(), while no thread has been made: the thread `me` calls the function, on the stack
 * that it will have. So operations of several threads come one after the other, before all begin. */
void locklab_as(int me, void (*function)(int me));

/* A number below n, each of which is tried. At most 36. */
unsigned locklab_any(unsigned n);

/* Leaves this run aside unless the condition holds: nothing is said about what would follow. */
void locklab_assume(int condition);

/* How often this thread has written, so far, to memory that others can read: not to its stack. */
unsigned long locklab_writes(void);

/* A number that stands for the way through the program since the last call of this: two ways that differ
 * in a branch have different numbers. Counts what is compiled with -fsanitize-coverage=trace-pc. */
unsigned long locklab_path(void);

/* Blocks of malloc() that are not freed at this moment, and their bytes. */
unsigned long locklab_blocks(void);
unsigned long locklab_bytes(void);

/* The number after --seed, from which a program can draw what it does. */
unsigned long locklab_seed(void);

/* Where a submission that is not trusted may write for its caller until the next call of this. */
void locklab_lend(void *at, unsigned long size);

/* What the counterexample shows beside this thread's last step: "acquired lock". */
void locklab_mark(const char *what);

/* Ends the run as violated when the condition is false. */
#define locklab_assert(condition)                                                                  \
    ((condition) ? (void)0 : locklab_assertion_failed(#condition, __FILE__, __LINE__))

void locklab_assertion_failed(const char *condition, const char *file, unsigned line);

/* In a bounded or random search: from locklab_alone(1) to locklab_alone(0) this thread is not
 * interrupted, and where it waits the others run in one order. So a long beginning is one run, and
 * not one in each order; its steps are not told. A complete search ignores this. */
void locklab_alone(int on);

/* In a bounded or random search: from locklab_ahead(1) to locklab_ahead(0) this thread goes on as long
 * as it can. locklab_waited() says whether it could not, and another one had to go on meanwhile: for
 * operations that wait for no thread. A complete search ignores this. */
void locklab_ahead(int on);
int locklab_waited(void);

/* What came before, in words: a failure's text begins with them. Each '#' stands for the next of the
 * numbers, as it is then. Both must stay where they are. */
void locklab_context(const char *words, const unsigned *numbers);

/* Ends the run as violated, for a reason in words. */
void locklab_fail(const char *why);

/* The same where a thread has written too often; names the last place that locklab_writes() counts. */
void locklab_fail_to_read(const char *why);

/* Locks of include/locklab wait with this: it touches no memory, so there is nothing to explore. */
#define LOCKLAB_PAUSE() ((void)0)
/* And how often qspinlock.h looks again before it gives up: what comes after is the same. */
#define LOCKLAB_QSPINLOCK_PATIENCE 1

#endif
