/* SPDX-License-Identifier: MIT */
/*
 * A newcomer that meets a pending mark waits for it a bounded time, then joins the queue.
 *
 * The word is set to (0,1,0) by hand: the pending thread never comes to take the lock. The
 * newcomer's pauses are counted; once it has joined, the mark is taken away.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void paused(void);
#define LOCKLAB_PAUSE() paused()
#include "locklab/qspinlock.h"

static struct locklab_qspinlock lock;
static unsigned pauses;

static void paused(void)
{
    uint32_t word = atomic_load(&lock.word);

    pauses++;
    if (word >= LOCKLAB_QSPINLOCK_TAIL)
        atomic_store(&lock.word, word & ~LOCKLAB_QSPINLOCK_PENDING);
    else if (pauses > 100000) {
        puts("still outside the queue after 100000 pauses");
        exit(1);
    }
}

int main(void)
{
    static struct locklab_qspinlock_table table;
    static struct locklab_qspinlock_node node;

    locklab_qspinlock_init(&lock);
    locklab_qspinlock_join(&table, &node);
    atomic_store(&lock.word, LOCKLAB_QSPINLOCK_PENDING);
    locklab_qspinlock_acquire(&lock, &table, &node);
    if (atomic_load(&lock.word) != LOCKLAB_QSPINLOCK_LOCKED) {
        puts("acquired, but the word is not (0,0,1)");
        return 1;
    }
    if (pauses > LOCKLAB_QSPINLOCK_PATIENCE + 2) {
        printf("%u pauses\n", pauses);
        return 1;
    }
    return 0;
}
