/* SPDX-License-Identifier: MIT */
/*
 * liburcu's memb flavour behind checks: misuse gives a status, never a crash.
 *
 * liburcu trusts its caller: a reader that is not registered is not waited for, a thread that ends
 * registered leaves a dangling pointer in the registry, a grace period awaited inside one's own
 * read-side section never ends. Each thread's state is kept here beside liburcu's own, and asked
 * first. A thread that ends registered is taken off the list by a thread-specific destructor.
 *
 * fork() copies only the calling thread, and a registry full of the others: in a child of a
 * process that has used liburcu, everything answers LOCKLAB_URCU_FORKED.
 */
#ifndef LOCKLAB_URCU_CHECKED_H
#define LOCKLAB_URCU_CHECKED_H

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

enum locklab_urcu_status locklab_urcu_register(void);

/* Closes the sections that are still open, and says how many there were. */
enum locklab_urcu_status locklab_urcu_unregister(unsigned *still_open);

enum locklab_urcu_status locklab_urcu_read_lock(void);
enum locklab_urcu_status locklab_urcu_read_unlock(void);

/* Waits for every read-side section that began before; not to be called with the GIL. */
enum locklab_urcu_status locklab_urcu_synchronize(void);

#endif
