/* SPDX-License-Identifier: MIT */
/* The registration and the count that batched.h describes. */
#define _DEFAULT_SOURCE
#define URCU_API_MAP
#include LOCKLAB_URCU_HEADER /* first: it renames what the others declare */

#include "urcu/batched.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <urcu/defer.h>

#include "urcu/waiting.h"

/* Deferred since the last barrier. One takes 3 places at most: its function, a mark, its argument. */
#define LOCKLAB_URCU_BATCH 1000

static _Thread_local bool on_list;
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

#ifdef __GLIBC__
static void at_exit(int status, void *unused)
{
    (void)unused;
    if (deferrers > 0) {
        fflush(NULL);
        _exit(status);
    }
}

static bool watch_exit(void)
{
    static atomic_flag watched = ATOMIC_FLAG_INIT;

    return atomic_flag_test_and_set(&watched) || on_exit(at_exit, NULL) == 0;
}
#else
static bool watch_exit(void) { return true; }
#endif

static bool join_list(void)
{
    bool online;

    if (!locklab_urcu_watch_thread() || !watch_exit())
        return false;
    locklab_urcu_stay_online(false, &online);
    on_list = rcu_defer_register_thread() == 0;
    locklab_urcu_stay_online(online, &online);
    deferrers += on_list;
    return on_list;
}

enum locklab_urcu_status locklab_urcu_start_deferring(void)
{
    enum locklab_urcu_status status = locklab_urcu_may_wait();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (deferring)
        return LOCKLAB_URCU_ALREADY_DEFERRING;
    if (!on_list && !join_list())
        return LOCKLAB_URCU_NO_MEMORY;
    deferring = true;
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_stop_deferring(void)
{
    if (!deferring)
        return LOCKLAB_URCU_NOT_DEFERRING;
    deferring = false;
    return LOCKLAB_URCU_OK;
}

void locklab_urcu_never_defer_again(void)
{
    bool online;

    deferring = false;
    if (!on_list)
        return;
    locklab_urcu_stay_online(false, &online);
    rcu_defer_unregister_thread();
    locklab_urcu_stay_online(online, &online);
    on_list = false;
    deferrers--;
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
