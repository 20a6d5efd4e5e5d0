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
#include <urcu/rculfhash.h>

#include "urcu/checked.h"

enum locklab_urcu_then {
    LOCKLAB_URCU_CALL,    /* objects[0](*objects[1]), then release both */
    LOCKLAB_URCU_RELEASE, /* release objects[0] and objects[1] */
    LOCKLAB_URCU_DESTROY, /* objects[0] is an empty table */
};

/* Allocated with malloc, freed with free. As an entry of a table it holds key and value. */
struct locklab_urcu_deferred {
    struct rcu_head rcu;
    struct cds_lfht_node in_table;
    struct locklab_urcu_deferred *next;
    enum locklab_urcu_then then;
    void *objects[2];
};

/* Takes the item over until a grace period has passed. In any thread, inside a section or not. */
enum locklab_urcu_status locklab_urcu_defer(struct locklab_urcu_deferred *item);

/* Puts the item behind all whose grace period has passed. */
void locklab_urcu_post(struct locklab_urcu_deferred *item);

/* Waits for the next item whose grace period has passed; NULL after locklab_urcu_stop. */
struct locklab_urcu_deferred *locklab_urcu_next(void);

void locklab_urcu_stop(void);

/* A table of this flavour, which grows and shrinks by itself; NULL without memory. */
struct cds_lfht *locklab_urcu_table_new(void);

/* Destroys an empty table; waits for its resizing, so neither with the GIL nor inside a section. */
void locklab_urcu_table_destroy(struct cds_lfht *table);

struct locklab_urcu_deferred *locklab_urcu_entry(struct cds_lfht_node *node);

#endif
