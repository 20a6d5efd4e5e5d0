/* SPDX-License-Identifier: MIT */
/* The queued spinlock, joined to the harness; the table of nodes lies beside it. */
#include "harness/pause.h"
#include "locklab/qspinlock.h"

struct qspinlock_and_table {
    struct locklab_qspinlock lock;
    _Alignas(LOCKLAB_LINE) struct locklab_qspinlock_table table;
};

#define KERNEL qspinlock
#define LOCK struct qspinlock_and_table
#define NODE struct locklab_qspinlock_node
#define INIT(all) locklab_qspinlock_init(&(all)->lock)
#define NODE_JOIN(all, node) locklab_qspinlock_join(&(all)->table, node)
#define ACQUIRE(all, node) locklab_qspinlock_acquire(&(all)->lock, &(all)->table, node)
#define RELEASE(all, node) locklab_qspinlock_release(&(all)->lock)

#include LOCKLAB_LOOP
