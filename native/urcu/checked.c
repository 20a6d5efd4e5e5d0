/* SPDX-License-Identifier: MIT */
/* The checks that checked.h promises. */
#include "urcu/checked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#define URCU_API_MAP
#include LOCKLAB_URCU_HEADER

#ifdef LOCKLAB_URCU_bp
enum { registers_itself = true };
#else
enum { registers_itself = false };
#endif

#ifdef LOCKLAB_URCU_qsbr
static void go_online(void) { rcu_thread_online(); }
static void go_offline(void) { rcu_thread_offline(); }
static void quiescent(void) { rcu_quiescent_state(); }
#else
static void go_online(void) {}
static void go_offline(void) {}
static void quiescent(void) {}
#endif

static _Thread_local bool registered;
static _Thread_local bool stays_online;
static _Thread_local unsigned depth;
static _Thread_local unsigned held; /* this many of the sections are locklab_urcu_enter's */
static _Thread_local uint64_t section;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool ready;
static atomic_bool used;
static atomic_bool forked;
static atomic_uint_fast64_t threads;

static void leave(void)
{
    for (; depth > 0; depth--)
        rcu_read_unlock();
    if (registered && !registers_itself)
        rcu_unregister_thread();
    registered = false;
    stays_online = false;
}

static void at_thread_exit(void *arg)
{
    (void)arg;
    /* bp has a destructor of its own, and after that no reader to unlock. */
    if (!forked && !registers_itself)
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

enum locklab_urcu_status locklab_urcu_usable(void)
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
    enum locklab_urcu_status status = locklab_urcu_usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (registered)
        return LOCKLAB_URCU_ALREADY_REGISTERED;
    /* Any value but NULL makes the destructor run. */
    if (pthread_setspecific(key, &key) != 0)
        return LOCKLAB_URCU_NO_MEMORY;
    if (!registers_itself)
        rcu_register_thread();
    go_offline();
    registered = true;
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_unregister(unsigned *still_open)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    *still_open = depth;
    if (status != LOCKLAB_URCU_OK)
        return status;
    if (!registered)
        return LOCKLAB_URCU_NOT_REGISTERED;
    if (held > 0)
        return LOCKLAB_URCU_READING;
    leave();
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_read_lock(void)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (!registered && !registers_itself)
        return LOCKLAB_URCU_NOT_REGISTERED;
    if (depth == LOCKLAB_URCU_DEEPEST)
        return LOCKLAB_URCU_TOO_DEEP;
    if (depth == 0) {
        if (section == 0) {
            if (pthread_setspecific(key, &key) != 0)
                return LOCKLAB_URCU_NO_MEMORY;
            section = ++threads << 40;
        }
        section++;
        if (!stays_online)
            go_online();
    }
    rcu_read_lock();
    depth++;
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_read_unlock(void)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (!registered && !registers_itself)
        return LOCKLAB_URCU_NOT_REGISTERED;
    if (depth == held)
        return LOCKLAB_URCU_NOT_READING;
    depth--;
    rcu_read_unlock();
    if (depth == 0 && !stays_online)
        go_offline();
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_enter(unsigned *outer)
{
    enum locklab_urcu_status status = locklab_urcu_read_lock();

    if (status == LOCKLAB_URCU_OK) {
        *outer = held;
        held = depth;
    }
    return status;
}

void locklab_urcu_exit(unsigned outer)
{
    held = outer;
    locklab_urcu_read_unlock();
}

uint64_t locklab_urcu_section(void)
{
    return depth > 0 ? section : 0;
}

bool locklab_urcu_registered(void)
{
    return registered;
}

enum locklab_urcu_status locklab_urcu_synchronize(void)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (depth > 0)
        return LOCKLAB_URCU_READING;
    synchronize_rcu();
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_barrier(void)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (depth > 0)
        return LOCKLAB_URCU_READING;
    rcu_barrier();
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_stay_online(bool online, bool *before)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    *before = stays_online;
    if (status != LOCKLAB_URCU_OK || online == stays_online)
        return status;
    if (!registered)
        return LOCKLAB_URCU_NOT_REGISTERED;
    if (depth > 0)
        return LOCKLAB_URCU_READING;
    stays_online = online;
    if (online)
        go_online();
    else
        go_offline();
    return LOCKLAB_URCU_OK;
}

enum locklab_urcu_status locklab_urcu_quiescent_state(void)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (depth > 0)
        return LOCKLAB_URCU_READING;
    /* liburcu would put a thread online that is not. */
    if (stays_online)
        quiescent();
    return LOCKLAB_URCU_OK;
}

bool locklab_urcu_borrow(void)
{
    bool borrowed = !registered && !registers_itself;

    if (borrowed) {
        rcu_register_thread();
        registered = true; /* borrowing nests */
    } else if (depth == 0 && !stays_online) {
        go_online();
    }
    rcu_read_lock();
    return borrowed;
}

void locklab_urcu_give_back(bool borrowed)
{
    rcu_read_unlock();
    if (borrowed) {
        rcu_unregister_thread();
        registered = false;
    } else if (depth == 0 && !stays_online)
        go_offline();
}
