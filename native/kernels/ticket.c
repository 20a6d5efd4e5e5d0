/* SPDX-License-Identifier: MIT */
/* The ticket lock, joined to the harness. */
#include "harness/pause.h"
#include "locklab/ticket.h"

#define KERNEL ticket
#define LOCK struct locklab_ticket
#define INIT(lock) locklab_ticket_init(lock)
#define ACQUIRE(lock, node) locklab_ticket_acquire(lock)
#define RELEASE(lock, node) locklab_ticket_release(lock)

#include LOCKLAB_LOOP
