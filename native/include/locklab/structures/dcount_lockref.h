/* SPDX-License-Identifier: MIT */
/*
 * How many hold a directory entry, counted by a compare-and-swap of lock and count together.
 *
 * Source: Linux 3.12, d_lockref of struct dentry; long-2013 has its forerunner.
 */
#ifndef LOCKLAB_DCOUNT_LOCKREF_H
#define LOCKLAB_DCOUNT_LOCKREF_H

#include "locklab/lockref.h"

#define LOCKLAB_DCACHE_COUNT struct locklab_lockref
#define locklab_dcache_count_init locklab_lockref_init
#define locklab_dget(dentry) locklab_lockref_get(&(dentry)->count)
#define locklab_dput(dentry) locklab_lockref_put(&(dentry)->count)
#define locklab_dcount(dentry) locklab_lockref_references(&(dentry)->count)

#endif
