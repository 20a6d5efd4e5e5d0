/* SPDX-License-Identifier: MIT */
/* The list that deferred.h describes: first in, first out, under a mutex. */
#include "urcu/deferred.h"

#include <pthread.h>
#include <stddef.h>
#define URCU_API_MAP
#include LOCKLAB_URCU_HEADER

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

struct locklab_urcu_deferred *locklab_urcu_next(void)
{
    struct locklab_urcu_deferred *item = NULL;

    pthread_mutex_lock(&mutex);
    while (first == NULL && !stopped)
        pthread_cond_wait(&arrived, &mutex);
    if (!stopped) {
        item = first;
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

struct cds_lfht *locklab_urcu_table_new(void)
{
    return cds_lfht_new_flavor(64, 64, 0, CDS_LFHT_AUTO_RESIZE | CDS_LFHT_ACCOUNTING, &rcu_flavor,
                               NULL);
}

void locklab_urcu_table_destroy(struct cds_lfht *table)
{
    (void)cds_lfht_destroy(table, NULL);
}

struct locklab_urcu_deferred *locklab_urcu_entry(struct cds_lfht_node *node)
{
    return caa_container_of(node, struct locklab_urcu_deferred, in_table);
}
