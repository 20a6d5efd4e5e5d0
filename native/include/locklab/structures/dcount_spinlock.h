/* SPDX-License-Identifier: MIT */
/*
 * How many hold a directory entry, counted under the entry's spinlock.
 *
 * Source: Linux until 3.11, d_count and d_lock of struct dentry.
 */
#ifndef LOCKLAB_DCOUNT_SPINLOCK_H
#define LOCKLAB_DCOUNT_SPINLOCK_H

#include "locklab/lockref_spinlock.h"

#define LOCKLAB_DCACHE_COUNT struct locklab_lockref_spinlock
#define locklab_dcache_count_init locklab_lockref_spinlock_init
#define locklab_dget(dentry) locklab_lockref_spinlock_get(&(dentry)->count)
#define locklab_dput(dentry) locklab_lockref_spinlock_put(&(dentry)->count)
#define locklab_dcount(dentry) locklab_lockref_spinlock_references(&(dentry)->count)

#endif
