/* SPDX-License-Identifier: MIT */
/*
 * What waits for a grace period, and then for the thread that may touch Python objects.
 *
 * liburcu calls call_rcu's functions in a thread of its own, which knows nothing of Python. They
 * only move the item to a list here; a thread of Python's takes items off the list. So liburcu's
 * thread never waits for the GIL, and the end of the interpreter cannot strand it.
 */
#ifndef LOCKLAB_URCU_DEFERRED_H
#define LOCKLAB_URCU_DEFERRED_H

#include <stdbool.h>
#include <urcu/call-rcu.h>
#include <urcu/lfstack.h>
#include <urcu/list.h>
#include <urcu/rculfhash.h>
#include <urcu/rculfqueue.h>
#include <urcu/wfcqueue.h>
#include <urcu/wfstack.h>

#include "urcu/checked.h"

enum locklab_urcu_then {
    LOCKLAB_URCU_CALL,    /* objects[0](*objects[1]), then release both */
    LOCKLAB_URCU_RELEASE, /* release objects[0] and objects[1] */
    LOCKLAB_URCU_DESTROY, /* objects[0] is an empty table */
};

/*
 * Allocated with malloc, freed with free. An entry of a container before that: of a table with key
 * and value, of a queue, stack or list with a value. `owned` lists a container's entries for the
 * cycle collector, and is protected by the GIL.
 */
struct locklab_urcu_deferred {
    struct rcu_head rcu;
    union {
        struct cds_lfht_node in_table;
        struct cds_wfcq_node in_wfcqueue;
        struct cds_wfs_node in_wfstack;
        struct cds_lfs_node in_lfstack;
        struct cds_lfq_node_rcu in_lfqueue;
        struct cds_list_head in_list;
    };
    struct cds_list_head owned;
    struct locklab_urcu_deferred *next;
    enum locklab_urcu_then then;
    void *objects[2];
};

/* Takes the item over until a grace period has passed. In any thread, inside a section or not. */
enum locklab_urcu_status locklab_urcu_defer(struct locklab_urcu_deferred *item);

/* Puts the item behind all whose grace period has passed. */
void locklab_urcu_post(struct locklab_urcu_deferred *item);

/* Waits for an item whose grace period has passed; false after locklab_urcu_stop. Not to be called
 * with the GIL. */
bool locklab_urcu_await(void);

/* Takes that item off the list. With the GIL: no fork comes between this and the use. */
struct locklab_urcu_deferred *locklab_urcu_next(void);

void locklab_urcu_stop(void);

/* Round a fork: the list stands still; in the child its lock and its waiters are new. */
void locklab_urcu_list_lock(void);
void locklab_urcu_list_unlock(void);
void locklab_urcu_list_anew(void);

/* The largest table. */
#define LOCKLAB_URCU_MOST_BUCKETS (1UL << 20)

/* A table of this flavour; NULL without memory. `buckets` is a power of two below that limit. With
 * `resizes` it grows and shrinks by itself. */
struct cds_lfht *locklab_urcu_table_new(unsigned long buckets, bool resizes);

/* What locklab_urcu_resize (waiting.h) wants; allocated with malloc. */
struct locklab_urcu_resize {
    struct cds_lfht *table;
    unsigned long buckets;
};

/* Destroys an empty table; waits for its resizing, so neither with the GIL nor inside a section. */
void locklab_urcu_table_destroy(struct cds_lfht *table);

/* A lock-free queue of this flavour. */
void locklab_urcu_lfqueue_init(struct cds_lfq_queue_rcu *queue);

/* The item that has a node, NULL for NULL. */
struct locklab_urcu_deferred *locklab_urcu_entry(struct cds_lfht_node *node);
struct locklab_urcu_deferred *locklab_urcu_of_wfcqueue(struct cds_wfcq_node *node);
struct locklab_urcu_deferred *locklab_urcu_of_wfstack(struct cds_wfs_node *node);
struct locklab_urcu_deferred *locklab_urcu_of_lfstack(struct cds_lfs_node *node);
struct locklab_urcu_deferred *locklab_urcu_of_lfqueue(struct cds_lfq_node_rcu *node);
struct locklab_urcu_deferred *locklab_urcu_of_list(struct cds_list_head *node);
struct locklab_urcu_deferred *locklab_urcu_of_owned(struct cds_list_head *node);

#endif
