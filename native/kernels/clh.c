/* SPDX-License-Identifier: MIT */
/* The CLH lock, joined to the harness. Nodes change hands: every trial sets up all of them. */
#include "harness/pause.h"
#include "locklab/clh.h"

struct clh_and_spare {
    struct locklab_clh lock;
    struct locklab_clh_node spare;
};

struct clh_seat {
    struct locklab_clh_thread thread;
    struct locklab_clh_node first;
};

#define KERNEL clh
#define LOCK struct clh_and_spare
#define NODE struct clh_seat
#define INIT(all) locklab_clh_init(&(all)->lock, &(all)->spare)
#define NODE_INIT(seat) locklab_clh_thread_init(&(seat)->thread, &(seat)->first)
#define ACQUIRE(all, seat) locklab_clh_acquire(&(all)->lock, &(seat)->thread)
#define RELEASE(all, seat) locklab_clh_release(&(all)->lock, &(seat)->thread)

#include LOCKLAB_LOOP
