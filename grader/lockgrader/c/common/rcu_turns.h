/* SPDX-License-Identifier: MIT */
/* Read-copy update when operations run one at a time: see rcu_turns.c. */
#ifndef LOCKLAB_RCU_TURNS_H
#define LOCKLAB_RCU_TURNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

void locklab_rcu_register(void);
void locklab_rcu_unregister(void);

/* Ends an operation: checks that it left its sections, and runs callbacks. */
void rcu_turns_end(void);

/* Sleep as long as a word is this; change it, and wake all who sleep for it. */
void sleep_while(_Atomic(uint32_t) *word, uint32_t is);
void wake_with(_Atomic(uint32_t) *word, uint32_t becomes);

/* The thread on which callbacks run. */
void *rcu_turns_server(void *unused);

#endif
