/* SPDX-License-Identifier: MIT */
/* Read-copy update when operations run one at a time: see rcu_turns.c. */
#ifndef LOCKLAB_RCU_TURNS_H
#define LOCKLAB_RCU_TURNS_H

#include <stdbool.h>

void locklab_rcu_register(void);
void locklab_rcu_unregister(void);

/* Ends an operation: checks that it left its sections, and runs callbacks. */
void rcu_turns_end(void);

/* The thread on which callbacks run. */
void *rcu_turns_server(void *unused);

#endif
