/* SPDX-License-Identifier: MIT */
/* The order of the hooks. */
#define URCU_API_MAP
#include LOCKLAB_URCU_HEADER /* first: it renames what the others declare */

#include "urcu/forking.h"

#include "urcu/batched.h"
#include "urcu/deferred.h"
#include "urcu/waiting.h"
#include "urcu/workers.h"

#ifdef LOCKLAB_URCU_bp
static void before(void) { urcu_bp_before_fork(); }
static void after_in_parent(void) { urcu_bp_after_fork_parent(); }
static void after_in_child(void) { urcu_bp_after_fork_child(); }
#else
static void before(void) {}
static void after_in_parent(void) {}
static void after_in_child(void) {}
#endif

enum locklab_urcu_status locklab_urcu_before_fork(void)
{
    enum locklab_urcu_status status = locklab_urcu_may_wait();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (locklab_urcu_readers() || locklab_urcu_deferrers())
        return LOCKLAB_URCU_OTHERS_READ;
    if (locklab_urcu_waits())
        return LOCKLAB_URCU_OTHERS_WAIT;
    call_rcu_before_fork();
    before();
    locklab_urcu_list_lock();
    locklab_urcu_set_forking(true);
    return LOCKLAB_URCU_OK;
}

void locklab_urcu_after_fork_parent(void)
{
    locklab_urcu_set_forking(false);
    locklab_urcu_list_unlock();
    after_in_parent();
    call_rcu_after_fork_parent();
}

void locklab_urcu_after_fork_child(void)
{
    locklab_urcu_set_forking(false);
    locklab_urcu_list_anew();
    after_in_child();
    call_rcu_after_fork_child();
    locklab_urcu_workers_gone();
}
