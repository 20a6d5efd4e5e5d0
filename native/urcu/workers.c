/* SPDX-License-Identifier: MIT */
/* The bookkeeping that workers.h describes. */
#define URCU_API_MAP
#include LOCKLAB_URCU_HEADER /* first: it renames what the others declare */

#include "urcu/workers.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "urcu/waiting.h"

struct locklab_urcu_worker {
    struct call_rcu_data *data;
    unsigned process; /* how many forks ago it was made */
    atomic_uint users;
};

static _Thread_local struct locklab_urcu_worker *mine;
static unsigned processes;

struct locklab_urcu_worker *locklab_urcu_worker_new(bool real_time, int cpu)
{
    struct locklab_urcu_worker *worker = calloc(1, sizeof(*worker));

    if (worker == NULL)
        return NULL;
    worker->process = processes;
    worker->data = create_call_rcu_data(real_time ? URCU_CALL_RCU_RT : 0, cpu);
    return worker;
}

bool locklab_urcu_worker_is_there(const struct locklab_urcu_worker *worker)
{
    return worker->data != NULL && worker->process == processes;
}

enum locklab_urcu_status locklab_urcu_use_worker(struct locklab_urcu_worker *worker)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (worker != NULL && !locklab_urcu_worker_is_there(worker))
        return LOCKLAB_URCU_WORKER_GONE;
    if (worker != NULL && !locklab_urcu_watch_thread())
        return LOCKLAB_URCU_NO_MEMORY;
    if (mine != NULL)
        mine->users--;
    mine = worker;
    if (worker != NULL)
        worker->users++;
    set_thread_call_rcu_data(worker != NULL ? worker->data : NULL);
    return LOCKLAB_URCU_OK;
}

struct locklab_urcu_worker *locklab_urcu_worker(void)
{
    return mine;
}

enum locklab_urcu_status locklab_urcu_use_worker_on(int cpu, struct locklab_urcu_worker *worker)
{
    enum locklab_urcu_status status = locklab_urcu_usable();

    if (status != LOCKLAB_URCU_OK)
        return status;
    if (worker != NULL && !locklab_urcu_worker_is_there(worker))
        return LOCKLAB_URCU_WORKER_GONE;
    /* A CPU's worker is not replaced by another one without being taken away first. */
    (void)set_cpu_call_rcu_data(cpu, NULL);
    if (worker != NULL && set_cpu_call_rcu_data(cpu, worker->data) != 0)
        return LOCKLAB_URCU_NO_MEMORY;
    return LOCKLAB_URCU_OK;
}

void *locklab_urcu_worker_take(struct locklab_urcu_worker *worker)
{
    struct call_rcu_data *data = worker->data;

    if (worker->users > 0 || !locklab_urcu_worker_is_there(worker))
        return NULL;
    worker->data = NULL;
    return data;
}

void locklab_urcu_free_worker(void *data)
{
    synchronize_rcu(); /* a thread may just be handing a callback over to it */
    call_rcu_data_free(data);
}

void locklab_urcu_worker_forget(struct locklab_urcu_worker *worker)
{
    free(worker);
}

void locklab_urcu_workers_gone(void)
{
    processes++;
    mine = NULL;
}
