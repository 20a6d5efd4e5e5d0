/* SPDX-License-Identifier: MIT */
/*
 * The explorer: runs a small concurrent program again and again, each time in another order.
 *
 * The program is unchanged C. It was compiled with -fsanitize=thread, so that every access calls a
 * function __tsan_*, but it is linked with the functions of this folder instead of
 * ThreadSanitizer's. Its threads are fibers on one CPU: nothing happens at the same time, and a
 * thread can be stopped before any access and another let run.
 *
 *   machine.S   the door through which the program enters; the switch between two fibers
 *   tsan.c      the accesses: what the compiler put into the program
 *   memory.c    what they do to memory
 *   buffers.c   stores that linger: TSO
 *   races.c     vector clocks: which access happens before which (C11)
 *   heap.c      malloc and free: use after free, overflow, double free, leaks
 *   schedule.c  fibers; who may run; spinning and deadlock
 *   search.c    which of those who may run does: depth first, at random, or as told
 *   threads.c, mutexes.c, conditions.c   pthreads and C11 threads, told in terms of the above
 *   rcu.c       liburcu's grace periods, likewise
 *   confine.c   a program that is not trusted writes to what is its own only
 *   libc.c      the few functions of the C library that must not run unseen
 *   statics.c   the program's statics, put back between two runs
 *   run.c       one run, from setup to check, and how it ends
 *   report.c    the steps of a run, and the verdict as JSON
 *   main.c      options, and the loop over all runs
 *
 * Where a thread may be interrupted. Before every atomic operation, fence, lock and other call that
 * threads meet in; not before plain reads and writes. Two plain accesses that are not ordered by
 * happens-before are a data race, and reported, whichever of them comes first in this run. If
 * there is none, no other thread can tell where between two atomic operations a plain access
 * took place (Musuvathi and Qadeer, PLDI 2007, section 4). --every-access interrupts before these
 * too.
 *
 * What is not seen: reorderings that are weaker than TSO and are no data race; accesses from
 * inline assembly or from a library that was not compiled for the explorer; memory that malloc
 * hands out a second time (it never does); compare_exchange_weak failing for no reason.
 */
#ifndef LOCKLAB_EXPLORER_H
#define LOCKLAB_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_THREADS 16
#define MAX_BUFFERED 8 /* stores in one thread's buffer */
#define MAX_VISITS 64
#define MAX_FRAMES 64                 /* functions that call each other, when confined */
#define STACK_SIZE ((size_t)256 << 10) /* of each thread */

typedef uintptr_t address;
typedef unsigned __int128 value; /* of an atomic: up to 16 bytes */

/* What every entry of the program leaves here on its way in (machine.S): who called, and all
 * registers that a call preserves, which together with the stack are the thread's whole state. */
struct door {
    address pc;
    address sp;
    uint64_t saved[11];
};
extern struct door ex_door;

/* options (main.c) */

struct options {
    int threads;
    int preemptions; /* bound of the depth-first search */
    bool tso;        /* store buffers, else sequential consistency */
    int pct_depth;   /* > 0: random runs with this many priority changes */
    uint64_t runs;   /* of the random search */
    uint64_t most;   /* > 0: runs of any search, at most */
    uint64_t seed;
    double seconds;     /* time to spend at most */
    uint64_t max_steps; /* of one run */
    bool every_access;
    const char *confine; /* where a submission's functions begin, if it is not trusted: confine.c */
    const char *replay; /* choices of one run, or NULL */
};
extern struct options ex_options;

/* clocks (races.c) */

struct clock {
    uint32_t at[MAX_THREADS];
};

void ex_clock_join(struct clock *into, const struct clock *other);

/* threads (schedule.c) */

struct buffered {
    address at;
    unsigned size;
    value what;
    struct clock released;
    address pc;
};

struct visit {
    uint64_t key, state;
};

struct reader { /* of liburcu */
    bool registered;
    unsigned depth;    /* of its read-side section; 0: it is in none */
    uint64_t sections; /* that it has ended */
    struct clock left; /* what happened before it ended the last */
};

struct frame { /* of a function that has begun */
    address at, returns, outer;
    bool submission;
};

enum stage { UNUSED, STARTED, ENDED };

struct thread {
    int number;
    enum stage stage;
    void *sp; /* while it does not run */
    void *(*start)(void *);
    void *argument, *result;
    bool detached;

    /* May it run? Only when ready(subject) says so, and not while it spins in vain. */
    bool (*ready)(struct thread *self, address subject);
    address subject;
    const char *waits_for; /* for the report */
    bool spins;
    uint64_t spins_on; /* what it has seen of memory and buffers */
    struct visit visits[MAX_VISITS];
    unsigned in_a_row; /* steps since another thread took one */
    uint64_t writes;   /* to memory that others can read */

    struct clock now;      /* what happens before its next operation */
    struct clock met;      /* what relaxed loads have met: an acquire fence adds it to `now` */
    struct clock released; /* `now` at its last release fence: relaxed stores publish it */
    struct buffered buffer[MAX_BUFFERED];
    unsigned buffered;

    address pc;                    /* of its last operation */
    uint64_t priority;             /* of the random search */
    int (*start_c11)(void *);      /* threads.c */
    address condition;             /* the condition variable that it waits on, until signalled */
    uint32_t generation;           /* of the barrier that it waits at */
    bool serves;                   /* the library's own thread: nobody waits for its end */
    struct reader reader;          /* rcu.c */
    uint64_t awaited[MAX_THREADS]; /* the sections of others whose end it waits for */
    address lent; /* confine.c */
    size_t lent_size;
    unsigned depth;
    struct frame frames[MAX_FRAMES];
};

extern struct thread ex_threads[MAX_THREADS];
extern struct thread *ex_self; /* the one that runs */
extern int ex_conductor;       /* the thread that does setup and check; -1: there is a main() */

struct thread *ex_spawn(int number, void *(*start)(void *), void *argument);
int ex_free_number(void);

/* The program is about to do something that others can see. Returns when it may. */
void ex_point(void);
/* The same, and not before ready(self, subject) holds. */
void ex_wait(bool (*ready)(struct thread *self, address subject), address subject,
             const char *waits_for);
void ex_forget_visits(void);
void ex_bound_steps(void); /* gives a run up that takes too many */
/* The thread is over: never comes back. */
_Noreturn void ex_end_thread(void *result);
void ex_stacks_make(void);
/* From outside into the first thread of a run, and from any thread back. */
void ex_enter(struct thread *first);
_Noreturn void ex_leave(void);

/* runs (run.c) */

enum outcome { ENDED_WELL, FAILED, GAVE_UP };

enum outcome ex_run_once(void);
/* The run is over without a fault: the program has left main() or called exit(). */
_Noreturn void ex_end_run(void);
/* The run is over with one. `text` may contain {pc:HEX} and {at:HEX}, which the reader names. */
_Noreturn void ex_fail(const char *found, const char *text, ...)
    __attribute__((format(printf, 2, 3)));
/* The run can not be judged: verdict "unfinished". */
_Noreturn void ex_give_up(const char *text, ...) __attribute__((format(printf, 1, 2)));
/* What was found, and the text. */
const char *ex_found(void);
const char *ex_message(void);

/* search (search.c) */

struct choice {
    int agent; /* a thread's number; -1: none */
    unsigned cost;
};

void ex_search_begin(void);
bool ex_search_next(void); /* is there another run? */
unsigned ex_choose(const struct choice *choices, unsigned n);
void ex_choices_print(int fd);
void ex_search_run_begins(void);
void ex_search_run_ends(void);
void ex_priority_new(struct thread *thread);
bool ex_search_complete(void); /* nothing was left out for the bound */
int ex_search_bound(void);
uint64_t ex_random(void);

/* models (libc.c, rcu.c) */

void ex_libc_begin(void);
void ex_rcu_begin(void);
bool ex_rcu_idle(void); /* no callback is pending */

/* memory (memory.c) */

enum order { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };
enum update { SWAP, FETCH_ADD, FETCH_SUB, FETCH_AND, FETCH_OR, FETCH_XOR, FETCH_NAND };

value ex_load(address at, unsigned size, enum order order);
void ex_store(address at, unsigned size, value what, enum order order);
value ex_update(enum update how, address at, unsigned size, value with, enum order order);
bool ex_compare_swap(address at, unsigned size, value *expected, value desired, enum order success,
                     enum order failure);
void ex_fence(enum order order);
void ex_plain(address at, size_t size, bool writes);
/* The value of a plain write is known only once the program comes back. */
void ex_settle(void);
void ex_memory_begin(void);
uint64_t ex_peek(address at, size_t size); /* up to 8 bytes */
void ex_memory_write(address at, const void *from, size_t size);
extern uint64_t ex_memory_hash;
uint64_t ex_mix(uint64_t a, uint64_t b);

/* For the models in threads.c and rcu.c: synchronisation on a word of the program, without a step
 * in the report and without a point. */
uint32_t ex_word(address at);
void ex_word_set(address at, uint32_t to);
void ex_acquire(address at);
void ex_release(address at);

/* store buffers (buffers.c) */

const struct buffered *ex_buffered(address at, size_t size);
void ex_reach_memory(address at, unsigned size, value what, const struct clock *released);
void ex_flush_oldest(struct thread *thread);
void ex_drain(struct thread *thread);
bool ex_flush_any(void);
/* Before an access: which of the others' stores to these bytes have arrived by now? */
void ex_let_arrive(address at, unsigned size);
uint64_t ex_visible(void); /* a hash of memory and all buffers */

/* a program that is not trusted (confine.c) */

void ex_confine_write(address at, size_t size);
void ex_confine_call(address function);

/* races (races.c) */

enum access { READS, WRITES, ATOMIC_READS, ATOMIC_WRITES, FREES };

void ex_races_begin(void);
void ex_access(address at, size_t size, enum access access);
/* The clock that was released into a place, joined over all its bytes. */
void ex_meet(address at, unsigned size, struct clock *into);
/* `clock` replaces what was released there. */
void ex_publish(address at, unsigned size, const struct clock *clock);

/* heap (heap.c) */

void ex_heap_begin(void);
void ex_heap_check(address at, size_t size, bool writes);
void ex_heap_leaks(void); /* at the end of a run */
void *ex_allocate(size_t size, size_t alignment);
void ex_release_block(void *block);
size_t ex_block_size(void *block);
void ex_heap_print(int fd);
bool ex_on_heap(address at);

/* report (report.c) */

/* A step; returns where its new value may be put later, or NULL. */
uint64_t *ex_step(const char *operation, address at, unsigned size, uint64_t old, uint64_t new);
void ex_step_of(struct thread *thread, const char *operation, address pc, address at, unsigned size,
                uint64_t old, uint64_t new);
void ex_step_held(void); /* the last step's store went into the buffer */
void ex_step_mark(const char *what);
void ex_report_begin(void);
uint64_t ex_steps(void);
void ex_report(int fd, const char *verdict, uint64_t runs, double seconds);
void ex_print(int fd, const char *text, ...) __attribute__((format(printf, 2, 3)));

uint64_t ex_total_steps(void);                  /* of all runs */
_Noreturn void ex_finish(enum outcome outcome); /* main.c: report and exit */
void ex_signals_catch(void);
bool ex_on_a_stack(address at);

/* the program's statics (statics.c) */

#define STATICS 4     /* ranges */
#define SUBMISSIONS 2 /* those from here on are a submission's (confine.c) */

void ex_statics_save(void);
void ex_statics_restore(void);
void ex_statics_range(unsigned which, address *from, address *to);

#endif
