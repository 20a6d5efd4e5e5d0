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
 *   messages.c  stores of which others read old ones: C11
 *   orders.c    which atomic operations follow which in a thread: for the limits of a proof
 *   races.c     vector clocks: which access happens before which (C11)
 *   heap.c      malloc and free: use after free, overflow, double free, leaks
 *   schedule.c  fibers; who may run; deadlock and livelock
 *   spins.c     which iterations of a waiting loop can be left out
 *   events.c    which steps depend on each other, and what another order of them would be
 *   search.c    which run comes next: reduced and complete, bounded, at random, or given
 *   reached.c   which words belong to one thread: where a bounded search need not interrupt
 *   parts.c     several processes that make a search together; how far it is
 *   threads.c, mutexes.c, conditions.c   pthreads and C11 threads, in terms of the above
 *   rcu.c       liburcu's grace periods, likewise
 *   confine.c   a program that is not trusted writes to what is its own only
 *   keys.c      values that each thread has of its own
 *   libc.c      memory, output, random numbers and time of the C library; what a program asks us
 *   strings.c   its functions of strings and arrays
 *   lifetime.c  constructors, atexit(), exit()
 *   statics.c   the program's statics, put back between two runs
 *   locals.c    its thread-local variables
 *   run.c       one run, from setup to check, and how it ends
 *   setup.c     what setup leaves, kept for the runs that begin alike
 *   report.c    the steps of a run, and the verdict as JSON
 *   main.c      options, and the loop over all runs
 *
 * Where a thread may be interrupted. Before every atomic operation, lock and other call that
 * threads meet in; not before plain reads and writes. Two plain accesses that are not ordered by
 * happens-before are a data race, and reported, whichever of them comes first in this run. If
 * there is none, no other thread can observe where between two atomic operations a plain access
 * took place (Musuvathi and Qadeer, PLDI 2007, section 4). --every-access interrupts before these
 * too.
 *
 * What is not seen: loads that take effect after later stores of their thread (load buffering);
 * accesses from inline assembly or from a library that was not compiled for the explorer; memory that
 * malloc hands out a second time (it never does).
 */
#ifndef LOCKLAB_EXPLORER_H
#define LOCKLAB_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_THREADS 64
#define MAX_AGENTS (2 * MAX_THREADS)   /* each thread, and its store buffer */
#define MAX_BUFFERED 64                /* stores in one thread's buffer; more: unfinished */
#define MAX_EVENTS (1u << 16)          /* of one run */
#define MAX_FRAMES 64                  /* functions that call each other, when confined */
#define STACK_SIZE ((size_t)256 << 10) /* of each thread */

typedef uintptr_t address;
__extension__ typedef unsigned __int128 value; /* of an atomic: up to 16 bytes */

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
    int preemptions; /* bound of a search for errors; -1: complete, with reduction */
    bool tso;        /* store buffers */
    bool c11;        /* messages; neither: sequential consistency */
    int pct_depth;   /* > 0: random runs with this many priority changes */
    uint64_t runs;   /* of the random search */
    uint64_t most;   /* > 0: runs of any search, at most */
    uint64_t most_steps; /* > 0: of all its runs together */
    bool skip_private;   /* reached.c, in one process */
    uint64_t seed;
    double seconds;     /* of CPU time, to spend at most */
    uint64_t max_steps; /* of one run */
    bool every_access;
    bool spurious; /* wake-ups and weak compare-and-swaps that fail, for no reason */
    bool malloc_fails;
    bool leaks;
    uint64_t shuffles; /* > 0: which agent a point tries first is drawn, with this seed */
    bool cpp20; /* release sequences end at any store */
    const char *confine; /* where a submission's functions begin, if it is not trusted: confine.c */
    const char *replay; /* choices of one run, or NULL */
    int worker, workers; /* this process, of so many */
    const char *shared;  /* a file for parts.c, or NULL */
};
extern struct options ex_options;

/* clocks (races.c) */

struct clock { /* accesses of each thread */
    uint32_t at[MAX_THREADS];    /* that happen before */
    uint32_t known[MAX_THREADS]; /* that are known: more than that, through SEQ_CST fences */
    uint32_t fenced;             /* and so many SEQ_CST stores of all threads */
};

void ex_clock_join(struct clock *into, const struct clock *other);

/* what a thread is about to do (events.c) */

/* The bytes of an operation's subject. A subject below 4096 is no memory, but one of these. */
enum {
    SUBJECT_THREADS = 16,
    SUBJECT_READERS = 32,
    SUBJECT_CALLBACKS = 48,
    SUBJECT_EXITS = 64,
    SUBJECT_KEYS = 80
};

/* Changes of one kind that come to the same in either order: readers that come and go, posts. */
enum kind { OTHER, READERS, POSTS };

enum effect { NOTHING, LOOKS, STORES, UPDATES, COMPARES };

struct thread;

struct operation {
    address at;
    unsigned size;
    enum effect effect;
    value expected; /* COMPARES: changes memory when this is there */
    bool drains;    /* not before the thread's buffer is empty */
    bool locks;     /* an operation of a lock that waits, or its unlock */
    enum kind kind; /* commutes with others of its kind, unless OTHER */
    bool message;   /* an atomic operation under c11 */
    bool total;     /* there, one of the total order of SEQ_CST; and if a COMPARES fails */
    bool fails_total;
    bool weak; /* may fail although the expected value is there */
    /* Waits until one of these holds of the subject's bytes, or of the rest of the state. */
    bool (*open)(value word, const struct thread *self);
    bool (*ready)(const struct thread *self, address subject);
    address subject;
    const char *waits_for; /* for the report */
};

/* threads (schedule.c) */

struct buffered {
    address at;
    unsigned size;
    value what;
    struct clock released;
    address pc;
    int event; /* that put it there */
};

struct reader { /* of liburcu */
    bool registered;
    unsigned depth;    /* of its read-side section; 0: it is in none */
    uint64_t sections; /* that it has ended */
    struct clock left; /* what happened before it ended the last */
};

#define MAX_READ_LOCKS 16

struct read_lock { /* that a thread is inside */
    address at;
    unsigned times;
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

    struct operation next; /* what it does when it is let run */
    bool spins;            /* has gone round a loop that changes nothing: spins.c */
    bool gone;             /* assumed something that does not hold: never runs again */
    bool exits;            /* ends the run when no other thread can go on */
    bool returned;         /* from main() */
    unsigned in_a_row;     /* steps since another thread took one */
    unsigned plain_in_a_row;
    address low;     /* of the stack that the program uses, when it stopped last */
    uint64_t state;  /* a hash of what it has on its stack and in registers */
    uint64_t writes; /* to memory that others can read */
    address wrote_at; /* the place of the last of them */

    struct clock now;      /* what happens before its next operation */
    struct clock met;      /* what relaxed loads have met: an acquire fence adds it to `now` */
    struct clock released; /* `now` at its last release fence: relaxed stores publish it */
    unsigned buffered;
    uint64_t stored, flushed; /* stores that entered the buffer, and left it */

    address pc;                    /* of its last operation */
    uint64_t priority[2];          /* of the random search: its own, and its buffer's */
    int made_by, woken_by;         /* events */
    uint64_t random;               /* numbers that it has drawn */
    unsigned node;                 /* that getcpu() gives, plus 1; 0: not asked for yet */
    int error;                     /* errno */
    int (*start_c11)(void *);      /* threads.c */
    address condition;             /* the condition variable that it waits on, until signalled */
    unsigned spurious;             /* wake-ups for no reason in this run: begun, and done */
    uint32_t generation;           /* of the barrier that it waits at */
    bool serves;                   /* the library's own thread: nobody waits for its end */
    struct reader reader;          /* rcu.c */
    struct read_lock read_locks[MAX_READ_LOCKS];
    uint64_t awaited[MAX_THREADS]; /* the sections of others whose end it waits for */
    uint64_t begun[MAX_THREADS];   /* stores of others that have to arrive before */
    int left_by[MAX_THREADS];      /* the events that ended those sections */
    address lent; /* confine.c */
    size_t lent_size;
    unsigned depth;
    struct frame frames[MAX_FRAMES]; /* from here on not cleared */
    struct buffered buffer[MAX_BUFFERED];
};

extern struct thread ex_threads[MAX_THREADS];
extern struct thread *ex_self; /* the one that runs */
extern int ex_conductor;       /* the thread that does setup and check; -1: there is a main() */

struct thread *ex_spawn(int number, void *(*start)(void *), void *argument);
int ex_free_number(void);

extern int ex_threads_used; /* numbers from here on are unused */
void ex_schedule_begin(void);

/* The program is about to do something that others can see. Returns when it may. */
void ex_point(struct operation operation);
/* A point without an effect. */
void ex_pause(void);
/* This thread is not interrupted from now on, or may be again: locklab_alone(). */
void ex_alone(bool on);
bool ex_is_alone(void);
/* This thread goes on as long as it can: locklab_ahead(). Has it had to wait for another one? */
void ex_ahead(bool on);
bool ex_ahead_has_waited(void);
/* Before a plain access: a loop of nothing else comes to a point too. */
void ex_plain_patience(void);
/* The thread has assumed what does not hold: never comes back. */
_Noreturn void ex_vanish(void);
void ex_bound_steps(void); /* gives a run up that takes too many */
/* The thread is over: never comes back. */
_Noreturn void ex_end_thread(void *result);
void ex_stacks_make(void);
address ex_stack_pointer(const struct thread *thread);
address ex_stack_top(const struct thread *thread);
address ex_stack_end(const struct thread *thread); /* of its thread-local variables, above it */
void ex_stack_is_used(const struct thread *thread, address low);
/* From outside into the first thread of a run, and from any thread back. */
void ex_enter(struct thread *first);
_Noreturn void ex_leave(void);

/* runs (run.c) */

enum outcome { ENDED_WELL, CUT_SHORT, FAILED, GAVE_UP, SET_UP };
/* CUT_SHORT too where it belongs to another process (parts.c). SET_UP: no run yet, see setup.c. */

enum outcome ex_run_once(void);
/* "locklab_setup()" or "locklab_check()", while the conductor is in it; else NULL. */
const char *ex_conducts(void);
/* The program has left main() or called exit(). */
_Noreturn void ex_exit(void);
/* The run is over without a fault. */
_Noreturn void ex_end_run(void);
/* The run adds nothing: its continuations are those of another. */
_Noreturn void ex_cut_run(void);
/* The run is over with one. `text` may contain {pc:HEX} and {at:HEX}, which the reader names. */
_Noreturn void ex_fail(const char *found, const char *text, ...)
    __attribute__((format(printf, 2, 3)));
/* The run cannot be judged: verdict "unfinished". */
_Noreturn void ex_give_up(const char *text, ...) __attribute__((format(printf, 1, 2)));
/* The same, since the program does not end. */
_Noreturn void ex_endless(const char *text, ...) __attribute__((format(printf, 1, 2)));
/* The run is too long. The complete search goes on with shorter ones, for errors only. */
_Noreturn void ex_too_long(const char *text, ...) __attribute__((format(printf, 1, 2)));
void ex_time_limit(void); /* --seconds begin */
bool ex_time_is_up(void);
_Noreturn void ex_give_up_for_time(void);
/* Words that such a text begins with, and the numbers in them: locklab_context(). */
void ex_context(const char *words, const unsigned *numbers);
/* Unless a run fails, the verdict is "unfinished", for this reason. */
void ex_leave_open(const char *text);
bool ex_is_open(void);
bool ex_is_endless(void);
/* What was found, and the text. */
const char *ex_found(void);
const char *ex_message(void);

/* setup (setup.c) */

void ex_sole_begin(bool has_setup);
void ex_sole_end(void); /* another thread is made, or setup is over */
extern bool ex_sole;
static inline bool ex_is_sole(void)
{
    return ex_sole;
}
bool ex_setup_is_kept(void); /* as the next run would make it */
/* What setup has left is put aside; and put back, with a new beginning for the conductor. */
void ex_setup_keep(void);
struct thread *ex_setup_put_back(void *(*start)(void *));
/* A copy of some memory. */
struct copy {
    address at;
    size_t size, room;
    char *bytes;
};
void ex_copy_keep(struct copy *copy, address from, address to);
void ex_copy_put_back(const struct copy *copy);
/* The parts of it: */
void ex_heap_keep(void);
void ex_heap_put_back(void);
void ex_search_keep(void);
void ex_search_put_back(void);
bool ex_search_begins_alike(void); /* do the choices of the next run go on behind setup? */
void ex_report_keep(void);
void ex_report_put_back(void);
void ex_schedule_keep(void);
void ex_schedule_put_back(void);
/* A thread that has not begun calls a function now, and the conductor waits for its end. */
void ex_as(struct thread *thread, void (*function)(int me));
/* A thread goes on with another function, on a stack without a trace. */
void ex_start_again(struct thread *thread, void *(*start)(void *));

/* search (search.c) */

/* A set of agents: bit 2n is thread n, bit 2n + 1 its store buffer. */
__extension__ typedef unsigned __int128 agents;

static inline agents ex_agent(int agent)
{
    return (agents)1 << agent;
}

static inline int ex_lowest(agents set)
{
    uint64_t low = (uint64_t)set;

    return low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(set >> 64));
}

static inline bool ex_reduces(void) /* complete search with partial-order reduction */
{
    return ex_options.preemptions < 0 && ex_options.pct_depth == 0;
}

void ex_search_begin(void);
bool ex_search_next(void); /* is there another run? */
/* A run was too long: is the search for errors in short ones? Then such a run is cut. */
bool ex_search_shortens(void);
uint64_t ex_search_length(void); /* of these, in steps; 0: there is none */
/* Which of these goes on. `current` is the thread that took the last step; `patient`: it may go on
 * for free. */
int ex_pick(agents enabled, int current, bool patient);
int ex_node(void); /* of the last pick */
/* A number below n, each of which is tried; numbers above 0 cost `cost`. */
unsigned ex_choose(unsigned n, unsigned cost);
/* One of these numbers. */
unsigned ex_choose_among(unsigned n, unsigned cost, agents allowed);
/* The agent that was picked has done its step with all messages of lower numbers. */
uint32_t ex_search_since(void);
void ex_choices_print(int fd);
void ex_search_run_begins(void);
void ex_search_run_ends(void);
void ex_priority_new(struct thread *thread);
bool ex_search_complete(void); /* nothing was left out for the bound */
/* No more runs are made: false if the search has shown nothing. */
bool ex_search_stops(void);
int ex_search_bound(void);
uint64_t ex_random(void);
/* Another order is to be tried: at this point of the run, one of `first`. */
void ex_search_add(int node, agents first, int preferred);
bool ex_search_is_new(void); /* the last choice is no part of an earlier run */

double ex_search_done(void); /* how much of it, from 0 to 1: an estimate */

/* words of one thread (reached.c) */

void ex_reached_note(const struct thread *thread, const struct operation *operation);
bool ex_reached_by_one(const struct operation *operation); /* by all that is known */
bool ex_reached_has_grown(void); /* since the last call: a word has become shared */

/* parts of a search (parts.c) */

void ex_parts_begin(void);
void ex_parts_run_begins(void);
void ex_parts_begin_again(void);
bool ex_parts_is_top(void); /* all ways of the next choice are to be tried */
/* A choice with more than one way was made: does what follows belong to this process? */
bool ex_parts_branch(bool is_new);
bool ex_parts_run_ends(void); /* did the run? */
void ex_parts_fails(void);    /* this part has failed */
bool ex_parts_are_over(void); /* an earlier one has */
uint64_t ex_parts_failed(void); /* which; 0: none */
void ex_parts_tell(uint64_t runs, double done);

/* steps that depend on each other (events.c) */

void ex_events_begin(void);
/* Starts the step of an agent that search.c picked at a node, while others waited. */
void ex_event_start(int agent, int node, agents waiting);
void ex_event_stop(void);
/* The step that is under way comes after another in any order. */
void ex_event_after(int event);
int ex_event_now(void);          /* its number; -1: none */
int ex_event_last(int agent);    /* an agent's last */
/* The step reads a message of a line, which another event has put there (-1: none). */
void ex_event_message(int line, int event, value old);
/* It finds a release sequence interrupted by that event's message. */
void ex_event_interrupted(int event);
/* It puts a message there; `inserts`: not as the last one. */
void ex_event_stores(value what, bool inserts);
/* What a thread waits for, and never got, could have come earlier. */
void ex_event_never(struct thread *thread);
/* Those of a sleeping set that do not depend on the last step. */
agents ex_event_asleep(agents set);

/* waiting loops (spins.c) */

void ex_spins_begin(struct thread *thread);
/* A thread is at a point, at a place of the explorer: has it gone round a loop that changed nothing?
 */
bool ex_spins(struct thread *thread, address place);
/* Would the loop do the same again? */
bool ex_spins_on(const struct thread *thread);
/* What the loop changes for a while, can another thread observe it? */
bool ex_spins_disturbs(const struct thread *thread, const struct thread *other);
void ex_spins_forget(struct thread *thread);
/* A step of the thread is over. */
void ex_spins_add(struct thread *thread, const struct operation *operation, value old, value new,
                  bool weakens);
void ex_spins_add_plain(address at, size_t size, bool changes, value old, value new);
void ex_spins_add_choice(void);
/* A thread (NULL: a buffer) is about to write into a stack, or to use its own. */
void ex_stack_access(const struct thread *by, address at, size_t size, bool writes);

/* the C library (strings.c) */

void ex_note_caller(void); /* a call of the program begins */
/* It reads a string, or its first bytes; returns how many that were. */
size_t ex_reads_string(const char *text);
size_t ex_reads_at_most(const char *text, size_t most);

/* the program's begin and end (lifetime.c) */

bool ex_has_constructors(void);
void ex_construct(void);
void ex_destruct(void); /* calls what atexit() was given, too */
void ex_lifetime_begin(void);
void ex_lifetime_keep(void);
void ex_lifetime_put_back(void);

/* values of threads (keys.c) */

void ex_keys_begin(void);
void ex_keys_keep(void);
void ex_keys_put_back(void);
void ex_keys_range(address *from, address *to); /* of the values */
void ex_keys_end(void); /* of the thread that ends: their destructors */

/* models (libc.c, rcu.c) */

/* What the program does and the search leaves out: limits of a proof, as locksim.checker.limits names
 * them. */
enum limit { ALLOCATION, SPURIOUS, WAKE_UPS, LIMITS };
void ex_reach_limit(enum limit limit);
/* May a choice be made that the option asks for? */
bool ex_happens(enum limit limit, bool is_tried);
const char *ex_partial(void); /* what the program could do and was not tried, or "" */
void ex_rcu_begin(void);
bool ex_rcu_idle(void); /* no callback is pending */
void ex_rcu_serve(void); /* a thread for those that are, unless there is one */

/* memory (memory.c) */

enum order { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };
enum update { SWAP, FETCH_ADD, FETCH_SUB, FETCH_AND, FETCH_OR, FETCH_XOR, FETCH_NAND };

value ex_load(address at, unsigned size, enum order order);
void ex_store(address at, unsigned size, value what, enum order order);
value ex_update(enum update how, address at, unsigned size, value with, enum order order);
bool ex_compare_swap(address at, unsigned size, value *expected, value desired, enum order success,
                     enum order failure, bool is_weak);
void ex_fence(enum order order);
void ex_plain(address at, size_t size, bool writes);
/* A volatile access that counts as a relaxed atomic one. */
void ex_volatile(address at, unsigned size, bool writes);
/* A plain read and a plain write that a model does for the program. */
void ex_plain_read(void *to, address at, size_t size);
void ex_plain_write(address at, const void *from, size_t size);
/* The value of a plain write is known only once the program comes back. */
void ex_settle(void);
void ex_memory_begin(void);
uint64_t ex_peek(address at, size_t size); /* up to 8 bytes */
void ex_memory_write(address at, const void *from, size_t size);
extern uint64_t ex_memory_hash;
uint64_t ex_mix(uint64_t a, uint64_t b);

value ex_bytes(address at, unsigned size);
/* What a thread would read: its own buffer, else memory. */
value ex_visible(const struct thread *thread, address at, unsigned size);

/* For the models in threads.c and rcu.c: synchronisation on a word of the program, without a step
 * in the report and without a point. */
uint32_t ex_word(address at);
void ex_word_set(address at, uint32_t to);
void ex_acquire(address at);
void ex_release(address at);

/* store buffers (buffers.c) */

const struct buffered *ex_buffered(const struct thread *thread, address at, size_t size);
bool ex_buffer_covers(const struct buffered *store, address at, size_t size);
/* A store or an update of `by` reaches memory, from its buffer or at once. */
void ex_reach_memory(const struct thread *by, address at, unsigned size, value what,
                     const struct clock *released, bool is_update, bool from_buffer);
void ex_buffer_add(address at, unsigned size, value what, const struct clock *released);
void ex_flush_oldest(struct thread *thread);

/* A value reaches memory. */
void ex_arrive(const struct thread *by, address at, unsigned size, value what);

/* messages (messages.c) */

void ex_messages_begin(void);
uint32_t ex_messages_made(void);
/* Can the thread's next step read a message with a number above this? */
bool ex_message_is_new(const struct thread *thread, uint32_t number);
value ex_message_read(const struct operation *operation);
bool ex_message_is_taken(void); /* what was read: by an update, so that no other can follow it */
/* The release sequences of what was read; returns how many newer messages there are. */
unsigned ex_message_meet(struct clock *into);
/* A store; or behind what was read, an update. Returns how many newer messages there are. */
unsigned ex_message_put(const struct operation *operation, value what, const struct clock *released,
                        bool is_total);
void ex_messages_fence(void); /* SEQ_CST */
void ex_messages_forget(address at, size_t size);

/* the order of a thread's atomic operations, under c11 (orders.c) */

void ex_orders_begin(void);
/* The running thread has done an atomic operation, or (NOTHING) a SEQ_CST fence: what it has found, and
 * what it has put there, if it writes. */
void ex_orders_add(const struct operation *operation, enum order order, value found, value put_there,
                   bool writes);
/* It has synchronised otherwise, or ended: no later store may come before an earlier load. */
void ex_orders_synchronise(void);
/* A thread has done a step. Is that all that it has seen by it? */
void ex_orders_see(int thread, uint64_t what, bool is_all);
/* It is about to access a word, and no happens-before orders that with another thread's access. */
void ex_orders_contend(address at);
void ex_orders_print(int fd);

/* a program that is not trusted (confine.c) */

void ex_confine_write(address at, size_t size);
void ex_confine_call(address function);

/* races (races.c) */

enum access { READS, WRITES, ATOMIC_READS, ATOMIC_WRITES, FREES };

void ex_races_begin(void);
void ex_access(address at, size_t size, enum access access);
/* The thread writes there now, for locklab_writes(). */
void ex_count_write(address at);
/* The clock that was released into a place, joined over all its bytes. */
void ex_meet(address at, unsigned size, struct clock *into);
/* A thread releases `clock` into a place: an update carries on what was released there. */
void ex_publish(const struct thread *by, address at, unsigned size, const struct clock *clock,
                bool is_update);
/* Counts an atomic access; returns how many there have been to these bytes, summed over them. */
uint32_t ex_count(address at, unsigned size);

/* heap (heap.c) */

void ex_heap_begin(void);
void ex_heap_check(address at, size_t size, bool writes);
void ex_heap_leaks(void); /* at the end of a run */
size_t ex_heap_held(size_t *bytes); /* how many blocks are not freed; NULL: no bytes asked */
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
void ex_step_behind(unsigned newer); /* it met a word of which there are newer values */
void ex_step_mark(const char *what);
void ex_report_begin(void);
/* What came before is not told. */
void ex_report_from_here(void);
void ex_report_forget(void); /* the run counts for another process */
uint64_t ex_steps(void);
uint64_t ex_steps_after_setup(void);
void ex_report(int fd, const char *verdict, uint64_t runs, uint64_t traces, double seconds);
void ex_print(int fd, const char *text, ...) __attribute__((format(printf, 2, 3)));

unsigned long ex_path(void);                    /* for locklab_path() */
uint64_t ex_total_steps(void);                  /* of all runs */
_Noreturn void ex_finish(enum outcome outcome); /* main.c: report and exit */
uint64_t ex_runs(void);                         /* main.c: how many have been made */
void ex_signals_catch(void);
bool ex_on_a_stack(address at);
struct thread *ex_stack_owner(address at);

/* the program's statics (statics.c) */

#define MAX_STATICS 64 /* ranges */
#define SUBMISSIONS 2  /* those from here on are a submission's (confine.c) */
#define OWN_STATICS 4  /* those from here on have names that the program gave */

unsigned ex_statics_count(void);
void ex_statics_range(unsigned which, address *from, address *to);
void ex_statics_save(void);
bool ex_statics_overflow(address at, size_t size); /* does it touch what is between two variables? */
void ex_statics_restore(void);

/* the program's thread-local variables (locals.c) */

size_t ex_locals_size(void);
void ex_locals_make(address at); /* a thread's own */
void ex_locals_use(address at);  /* by the program from now on */

#endif
