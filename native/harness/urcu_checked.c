/* SPDX-License-Identifier: MIT */
/* The checks that urcu_checked.h promises. */
#include "harness/urcu_checked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <urcu/urcu-memb.h>

static _Thread_local bool registered;
static _Thread_local unsigned depth;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool ready;
static atomic_bool used;
static atomic_bool forked;

static void leave(void)
{
    for (; depth > 0; depth--)
        urcu_memb_read_unlock();
    urcu_memb_unregister_thread();
    registered = false;
}

static void at_thread_exit(void *arg)
{
    (void)arg;
    if (registered && !forked)
        leave();
}

static void in_child(void)
{
    if (used)
        forked = true;
}

static void set_up(void)
{
    ready = pthread_key_create(&key, at_thread_exit) == 0 &&
            pthread_atfork(NULL, NULL, in_child) == 0;
}

/* What every operation asks first. */
static enum locklab_urcu_status usable(void)
{
    pthread_once(&once, set_up);
    if (!ready)
        return LOCKLAB_URCU_NO_MEMORY;
    if (forked)
        return LOCKLAB_URCU_FORKED;
    used = true;
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_register(void)
{
    enum locklab_urcu_status status = usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (registered)
        return LOCKLAB_URCU_ALREADY_REGISTERED;
    /* Any value but NULL makes the destructor run. */
    if (pthread_setspecific(key, &key) != 0)
        return LOCKLAB_URCU_NO_MEMORY;
    urcu_memb_register_thread();
    registered = true;
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_unregister(unsigned *still_open)
{
    enum locklab_urcu_status status = usable();

    *still_open = depth;
    if (status != LOCKLAB_URCU_OK)
        return status;
    if (!registered)
        return LOCKLAB_URCU_NOT_REGISTERED;
    leave();
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_read_lock(void)
{
    enum locklab_urcu_status status = usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (!registered)
        return LOCKLAB_URCU_NOT_REGISTERED;
    if (depth == LOCKLAB_URCU_DEEPEST)
        return LOCKLAB_URCU_TOO_DEEP;
    urcu_memb_read_lock();
    depth++;
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_read_unlock(void)
{
    enum locklab_urcu_status status = usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (!registered)
        return LOCKLAB_URCU_NOT_REGISTERED;
    if (depth == 0)
        return LOCKLAB_URCU_NOT_READING;
    depth--;
    urcu_memb_read_unlock();
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_synchronize(void)
{
    enum locklab_urcu_status status = usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (depth > 0)
        return LOCKLAB_URCU_READING;
    urcu_memb_synchronize_rcu();
    return LOCKLAB_URCU_OK;
}
