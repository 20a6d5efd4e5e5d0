/* SPDX-License-Identifier: MIT */
/* The registration and the count that batched.h describes. */
#define URCU_API_MAP
#include LOCKLAB_URCU_HEADER /* first: it renames what the others declare */

#include "urcu/batched.h"

#include <stdatomic.h>
#include <urcu/defer.h>

#include "urcu/waiting.h"

/* Deferred since the last barrier. One takes 3 places at most: its function, a mark, its argument. */
#define LOCKLAB_URCU_BATCH 1000

static _Thread_local bool deferring;
static _Thread_local unsigned deferred;
static atomic_uint deferrers;

static void grace_period_passed(void *item)
{
    locklab_urcu_post(item);
}

void locklab_urcu_defer_barrier(void *unused)
{
    (void)unused;
    rcu_defer_barrier();
}

enum locklab_urcu_status locklab_urcu_start_deferring(void)
{
    enum locklab_urcu_status status = locklab_urcu_may_wait();
    bool online;

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (deferring)
        return LOCKLAB_URCU_ALREADY_DEFERRING;
    if (!locklab_urcu_watch_thread())
        return LOCKLAB_URCU_NO_MEMORY;
    locklab_urcu_stay_online(false, &online);
    deferring = rcu_defer_register_thread() == 0;
    locklab_urcu_stay_online(online, &online);
    deferrers += deferring;
    deferred = 0;
    return deferring ? LOCKLAB_URCU_OK : LOCKLAB_URCU_NO_MEMORY;
}

enum locklab_urcu_status locklab_urcu_stop_deferring(void)
{
    enum locklab_urcu_status status = locklab_urcu_may_wait();
    bool online;

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (!deferring)
        return LOCKLAB_URCU_NOT_DEFERRING;
    locklab_urcu_stay_online(false, &online);
    rcu_defer_unregister_thread();
    locklab_urcu_stay_online(online, &online);
    deferring = false;
    deferrers--;
    return LOCKLAB_URCU_OK;
}

bool locklab_urcu_deferring(void)
{
    return deferring;
}

enum locklab_urcu_status locklab_urcu_defer_rcu(struct locklab_urcu_deferred *item)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (!deferring)
        return LOCKLAB_URCU_NOT_DEFERRING;
    defer_rcu(grace_period_passed, item);
    deferred++;
    return LOCKLAB_URCU_OK;
}

bool locklab_urcu_defer_full(void)
{
    return deferred >= LOCKLAB_URCU_BATCH;
}

void locklab_urcu_defer_emptied(void)
{
    deferred = 0;
}

bool locklab_urcu_deferrers(void)
{
    return deferrers > 0;
}
