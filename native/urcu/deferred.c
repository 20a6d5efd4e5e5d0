/* SPDX-License-Identifier: MIT */
/* The list that deferred.h describes: first in, first out, under a mutex. */
#define URCU_API_MAP
#include LOCKLAB_URCU_HEADER /* first: it renames what the others declare */

#include "urcu/deferred.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "urcu/waiting.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static struct locklab_urcu_deferred *first;
static struct locklab_urcu_deferred **end = &first;
static bool stopped;

/* In liburcu's thread. */
static void grace_period_passed(struct rcu_head *head)
{
    locklab_urcu_post(caa_container_of(head, struct locklab_urcu_deferred, rcu));
}

enum locklab_urcu_status locklab_urcu_defer(struct locklab_urcu_deferred *item)
{
    enum locklab_urcu_status status = locklab_urcu_usable();
    bool borrowed;

    if (status != LOCKLAB_URCU_OK)
        return status;
    borrowed = locklab_urcu_borrow();
    call_rcu(&item->rcu, grace_period_passed);
    locklab_urcu_give_back(borrowed);
    return LOCKLAB_URCU_OK;
}

void locklab_urcu_post(struct locklab_urcu_deferred *item)
{
    item->next = NULL;
    pthread_mutex_lock(&mutex);
    *end = item;
    end = &item->next;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&mutex);
}

bool locklab_urcu_await(void)
{
    bool more;

    pthread_mutex_lock(&mutex);
    while (first == NULL && !stopped)
        pthread_cond_wait(&arrived, &mutex);
    more = !stopped;
    pthread_mutex_unlock(&mutex);
    return more;
}

struct locklab_urcu_deferred *locklab_urcu_next(void)
{
    struct locklab_urcu_deferred *item;

    pthread_mutex_lock(&mutex);
    item = first;
    if (item != NULL) {
        first = item->next;
        if (first == NULL)
            end = &first;
    }
    pthread_mutex_unlock(&mutex);
    return item;
}

void locklab_urcu_stop(void)
{
    pthread_mutex_lock(&mutex);
    stopped = true;
    pthread_cond_broadcast(&arrived);
    pthread_mutex_unlock(&mutex);
}

void locklab_urcu_list_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void locklab_urcu_list_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

void locklab_urcu_list_anew(void)
{
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    arrived = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

struct cds_lfht *locklab_urcu_table_new(unsigned long buckets, bool resizes)
{
    int flags = CDS_LFHT_ACCOUNTING | (resizes ? CDS_LFHT_AUTO_RESIZE : 0);

    return cds_lfht_new_flavor(buckets, 64, 0, flags, &rcu_flavor, NULL);
}

void locklab_urcu_table_destroy(struct cds_lfht *table)
{
    (void)cds_lfht_destroy(table, NULL);
}

void locklab_urcu_resize(void *request)
{
    /* A thread of qsbr that waits for another one's resizing, online, would hold it up. */
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    struct locklab_urcu_resize *wanted = request;
    bool borrowed;

    pthread_mutex_lock(&one_at_a_time);
    borrowed = locklab_urcu_borrow_thread();
    cds_lfht_resize(wanted->table, wanted->buckets);
    locklab_urcu_give_back_thread(borrowed);
    pthread_mutex_unlock(&one_at_a_time);
    free(wanted);
}

void locklab_urcu_lfqueue_init(struct cds_lfq_queue_rcu *queue)
{
    cds_lfq_init_rcu(queue, call_rcu);
}

#define LOCKLAB_URCU_ITEM_OF(name, type, member)                                                   \
    struct locklab_urcu_deferred *name(type *node)                                                 \
    {                                                                                              \
        return node == NULL ? NULL : caa_container_of(node, struct locklab_urcu_deferred, member); \
    }                                                                                              \
    struct locklab_urcu_deferred /* takes the semicolon */

LOCKLAB_URCU_ITEM_OF(locklab_urcu_entry, struct cds_lfht_node, in_table);
LOCKLAB_URCU_ITEM_OF(locklab_urcu_of_wfcqueue, struct cds_wfcq_node, in_wfcqueue);
LOCKLAB_URCU_ITEM_OF(locklab_urcu_of_wfstack, struct cds_wfs_node, in_wfstack);
LOCKLAB_URCU_ITEM_OF(locklab_urcu_of_lfstack, struct cds_lfs_node, in_lfstack);
LOCKLAB_URCU_ITEM_OF(locklab_urcu_of_lfqueue, struct cds_lfq_node_rcu, in_lfqueue);
LOCKLAB_URCU_ITEM_OF(locklab_urcu_of_list, struct cds_list_head, in_list);
LOCKLAB_URCU_ITEM_OF(locklab_urcu_of_owned, struct cds_list_head, owned);
