/* SPDX-License-Identifier: MIT */
/* The checks that checked.h promises. */
#define URCU_API_MAP
#include LOCKLAB_URCU_HEADER /* first: it renames what the others declare */

#include "urcu/checked.h"

#include "urcu/batched.h"
#include "urcu/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

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
static bool forking;
static atomic_uint_fast64_t threads;
/* Threads that hold a grace period up or are on liburcu's list: those inside a section for bp,
 * which cleans its list itself, and else all that are registered. */
static atomic_uint readers;

static void leave(void)
{
    bool reads = registers_itself ? depth > 0 : registered;

    /* bp has a destructor of its own; after that there is no section left to end. */
    for (; depth > 0; depth--)
        if (!registers_itself || rcu_read_ongoing())
            rcu_read_unlock();
    if (registered && !registers_itself)
        rcu_unregister_thread();
    readers -= reads; /* after the last use of liburcu's list: see forking.h */
    registered = false;
    stays_online = false;
}

static void at_thread_exit(void *arg)
{
    (void)arg;
    if (forked)
        return;
    leave();
    locklab_urcu_never_defer_again();
    locklab_urcu_use_worker(NULL);
}

static void in_child(void)
{
    if (used && !forking)
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
    if (!locklab_urcu_watch_thread())
        return LOCKLAB_URCU_NO_MEMORY;
    if (!registers_itself) {
        rcu_register_thread();
        readers++;
    }
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
            if (!locklab_urcu_watch_thread())
                return LOCKLAB_URCU_NO_MEMORY;
            section = ++threads << 40;
        }
        section++;
        readers += registers_itself;
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
    if (depth == 0) {
        readers -= registers_itself;
        if (!stays_online)
            go_offline();
    }
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

bool locklab_urcu_read_ongoing(void)
{
    return locklab_urcu_usable() == LOCKLAB_URCU_OK && rcu_read_ongoing();
}

enum locklab_urcu_status locklab_urcu_may_wait(void)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    return status == LOCKLAB_URCU_OK && depth > 0 ? LOCKLAB_URCU_READING : status;
}

bool locklab_urcu_tidy(void)
{
    bool left = registered || depth > 0 || locklab_urcu_deferring() || locklab_urcu_worker() != NULL;

    if (left && !forked) {
        leave();
        locklab_urcu_stop_deferring();
        locklab_urcu_use_worker(NULL);
    }
    return left;
}

bool locklab_urcu_watch_thread(void)
{
    /* Any value but NULL makes the destructor run. */
    return pthread_setspecific(key, &key) == 0;
}

bool locklab_urcu_readers(void)
{
    return readers > 0;
}

void locklab_urcu_set_forking(bool now)
{
    forking = now;
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

bool locklab_urcu_borrow_thread(void)
{
    bool borrowed = !registered && !registers_itself;

    if (borrowed) {
        rcu_register_thread();
        registered = true; /* borrowing nests */
    }
    return borrowed;
}

void locklab_urcu_give_back_thread(bool borrowed)
{
    if (borrowed) {
        rcu_unregister_thread();
        registered = false;
    }
}

bool locklab_urcu_borrow(void)
{
    bool borrowed = locklab_urcu_borrow_thread();

    if (!borrowed && depth == 0 && !stays_online)
        go_online();
    rcu_read_lock();
    return borrowed;
}

void locklab_urcu_give_back(bool borrowed)
{
    rcu_read_unlock();
    if (!borrowed && depth == 0 && !stays_online)
        go_offline();
    locklab_urcu_give_back_thread(borrowed);
}
