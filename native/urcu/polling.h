/* SPDX-License-Identifier: MIT */
/*
 * Asking whether a grace period has passed, instead of waiting for it.
 *
 * liburcu offers this from 0.14 on, made of call_rcu as here; it works with older ones too.
 */
#ifndef LOCKLAB_URCU_POLLING_H
#define LOCKLAB_URCU_POLLING_H

#include <stdbool.h>

#include "urcu/checked.h"

struct locklab_urcu_poll;

/* A grace period begins now. */
enum locklab_urcu_status locklab_urcu_poll_start(struct locklab_urcu_poll **poll);

/* Whether it has passed. */
bool locklab_urcu_poll_passed(const struct locklab_urcu_poll *poll);

/* The caller asks no more. */
void locklab_urcu_poll_end(struct locklab_urcu_poll *poll);

#endif
