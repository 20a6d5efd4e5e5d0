/* SPDX-License-Identifier: MIT */
/* Read-copy update where only one operation is under way at a time: see rcu_turns.c. */
#ifndef LOCKLAB_RCU_TURNS_H
#define LOCKLAB_RCU_TURNS_H

#include <stdbool.h>

void locklab_rcu_register(void);
void locklab_rcu_unregister(void);

/* The operation is over: it is in no section any more, and callbacks run. */
void rcu_turns_end(void);

/* The thread on which callbacks run. */
void *rcu_turns_server(void *unused);

#endif
