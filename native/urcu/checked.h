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
 * process that has used liburcu, everything answers LOCKLAB_URCU_FORKED.
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
    LOCKLAB_URCU_NO_MEMORY, /* or no thread-specific key is left */
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

/* Waits for every read-side section that began before; not to be called with the GIL. */
enum locklab_urcu_status locklab_urcu_synchronize(void);

/* Waits until liburcu has called what was given to call_rcu; not to be called with the GIL. */
enum locklab_urcu_status locklab_urcu_barrier(void);

/* qsbr: stay online between sections, or no longer; *before says what was. No effect elsewhere. */
enum locklab_urcu_status locklab_urcu_stay_online(bool online, bool *before);

/* qsbr: this thread holds nothing now. No effect elsewhere, nor in a thread that is offline. */
enum locklab_urcu_status locklab_urcu_quiescent_state(void);

/* A section in any thread, for code that calls nothing foreign: registers for a while if needed. */
bool locklab_urcu_borrow(void);
void locklab_urcu_give_back(bool borrowed);

#endif
