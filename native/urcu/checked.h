/* SPDX-License-Identifier: MIT */
/*
 * One flavour of liburcu behind checks: misuse gives a status, never a crash. Compiled once a
 * flavour (LOCKLAB_URCU_HEADER), as the flavours' macros have the same names.
 *
 * liburcu trusts its caller: a reader that is not registered is not waited for, a thread that ends
 * registered leaves a dangling pointer in the registry, a grace period awaited inside one's own
 * read-side section never ends. Each thread's state is kept here beside liburcu's own, and asked
 * first. A thread that ends registered is taken off the list by a thread-specific destructor.
 *
 * bp registers a thread at its first section, so there nothing is NOT_REGISTERED. qsbr waits for
 * every thread that is online, not for sections: a registered thread is kept offline here, and is
 * online inside its outermost section only, unless it asks for more with locklab_urcu_stay_online.
 *
 * fork() copies only the calling thread, and a registry full of the others: in a child of a
 * process that has used liburcu, everything answers LOCKLAB_URCU_FORKED, unless forking.h prepared
 * the fork.
 */
#ifndef LOCKLAB_URCU_CHECKED_H
#define LOCKLAB_URCU_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

enum locklab_urcu_status {
    LOCKLAB_URCU_OK,
    LOCKLAB_URCU_NOT_REGISTERED,
    LOCKLAB_URCU_ALREADY_REGISTERED,
    LOCKLAB_URCU_NOT_READING,
    LOCKLAB_URCU_READING,
    LOCKLAB_URCU_TOO_DEEP,
    LOCKLAB_URCU_FORKED,
    LOCKLAB_URCU_NO_MEMORY, /* or no thread-specific key, or no thread, is left */
    LOCKLAB_URCU_NOT_DEFERRING,
    LOCKLAB_URCU_ALREADY_DEFERRING,
    LOCKLAB_URCU_WORKER_IN_USE,
    LOCKLAB_URCU_WORKER_GONE,
    LOCKLAB_URCU_OTHERS_READ,
    LOCKLAB_URCU_OTHERS_WAIT,
};

/* Sections nest up to this depth; liburcu's own limit on 32 bits is 2^16 - 1. */
#define LOCKLAB_URCU_DEEPEST 1000

/* What every operation asks first: has liburcu a meaning in this process? */
enum locklab_urcu_status locklab_urcu_usable(void);

enum locklab_urcu_status locklab_urcu_register(void);

/* Closes the sections that are still open, and says how many there were. */
enum locklab_urcu_status locklab_urcu_unregister(unsigned *still_open);

enum locklab_urcu_status locklab_urcu_read_lock(void);
enum locklab_urcu_status locklab_urcu_read_unlock(void);

/*
 * A section round code that is not ours (a key's comparison): neither it nor the registration can be
 * ended from inside. locklab_urcu_exit takes what locklab_urcu_enter put into *outer.
 */
enum locklab_urcu_status locklab_urcu_enter(unsigned *outer);
void locklab_urcu_exit(unsigned outer);

/* A number that no other outermost section, of any thread, has; 0 outside. */
uint64_t locklab_urcu_section(void);

bool locklab_urcu_registered(void);

/* What liburcu itself says: in a section, or for qsbr online. */
bool locklab_urcu_read_ongoing(void);

/* Whether the calling thread may wait for a grace period: not inside a section. */
enum locklab_urcu_status locklab_urcu_may_wait(void);

/* qsbr: stay online between sections, or no longer; *before says what was. No effect elsewhere. */
enum locklab_urcu_status locklab_urcu_stay_online(bool online, bool *before);

/* qsbr: this thread holds nothing now. No effect elsewhere, nor in a thread that is offline. */
enum locklab_urcu_status locklab_urcu_quiescent_state(void);

/* Takes the thread out of all that it is in; says whether it was in anything. */
bool locklab_urcu_tidy(void);

/* The destructor runs when this thread ends. False: no memory. */
bool locklab_urcu_watch_thread(void);

/* What a prepared fork asks: is another thread in the way? Not for threads that borrow. */
bool locklab_urcu_readers(void);

/* In the child of a prepared fork: everything may be used again. */
void locklab_urcu_set_forking(bool forking);

/* A section in any thread, for code that calls nothing foreign: registers for a while if needed. */
bool locklab_urcu_borrow(void);
void locklab_urcu_give_back(bool borrowed);

/* Only the registration, which liburcu wants of who resizes a table; not inside a section. */
bool locklab_urcu_borrow_thread(void);
void locklab_urcu_give_back_thread(bool borrowed);

#endif
