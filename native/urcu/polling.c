/* SPDX-License-Identifier: MIT */
/* A callback that sets a flag; who comes last, the callback or who asked, frees both. */
#define URCU_API_MAP
#include LOCKLAB_URCU_HEADER /* first: it renames what the others declare */

#include "urcu/polling.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct locklab_urcu_poll {
    struct rcu_head rcu;
    atomic_bool passed;
    atomic_uint owners;
};

static void grace_period_passed(struct rcu_head *head)
{
    struct locklab_urcu_poll *poll = caa_container_of(head, struct locklab_urcu_poll, rcu);

    poll->passed = true;
    locklab_urcu_poll_end(poll);
}

enum locklab_urcu_status locklab_urcu_poll_start(struct locklab_urcu_poll **poll)
{
    enum locklab_urcu_status status = locklab_urcu_usable();
    bool borrowed;

    *poll = NULL;
    if (status != LOCKLAB_URCU_OK)
        return status;
    *poll = malloc(sizeof(**poll));
    if (*poll == NULL)
        return LOCKLAB_URCU_NO_MEMORY;
    atomic_init(&(*poll)->passed, false);
    atomic_init(&(*poll)->owners, 2);
    borrowed = locklab_urcu_borrow();
    call_rcu(&(*poll)->rcu, grace_period_passed);
    locklab_urcu_give_back(borrowed);
    return LOCKLAB_URCU_OK;
}

bool locklab_urcu_poll_passed(const struct locklab_urcu_poll *poll)
{
    return poll->passed;
}

void locklab_urcu_poll_end(struct locklab_urcu_poll *poll)
{
    if (--poll->owners == 0)
        free(poll);
}
