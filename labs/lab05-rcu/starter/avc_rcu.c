/* SPDX-License-Identifier: MIT */
/*
 * An access vector cache that readers use under RCU, for you to write. avc.h documents the functions.
 *
 * You have C11, malloc and free, mutexes and spin locks of pthread.h, and liburcu (urcu.h:
 * rcu_read_lock, rcu_dereference, rcu_assign_pointer, synchronize_rcu, call_rcu, rcu_barrier).
 * Call functions by their names: no inline assembly, no attributes, no calls through pointers but
 * call_rcu's, and ## only behind the fixed beginning of a word (memory_order_##x). Everything but
 * the five functions of avc.h is static.
 */
#include "avc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <urcu.h>

#define SLOTS 8

struct entry {
    struct avc_key key;
    struct avc_decision decision;
    struct entry *next;
};

void avc_init(void)
{
}

void avc_destroy(void)
{
}

bool avc_lookup(const struct avc_key *key, struct avc_decision *decision)
{
    (void)key, (void)decision;
    return false; /* search under rcu_read_lock(); copy what you find before you leave */
}

bool avc_insert(const struct avc_key *key, const struct avc_decision *decision)
{
    (void)key, (void)decision;
    return false; /* copy, publish, and free the old one when no reader uses it any more */
}

unsigned avc_reclaim(void)
{
    return 0; /* two rounds: the first takes the mark, the second the entry */
}
