/* SPDX-License-Identifier: MIT */
/*
 * Where a thread goes through the submission, which is compiled so that it makes a call with each
 * stretch of its code. Two ways that differ in a branch have different numbers. The explorer has the
 * same function (locklab/explore.h).
 */
#ifndef LOCKLAB_PATH_H
#define LOCKLAB_PATH_H

#include "drawn.h"

static _Thread_local uint64_t path;

void __sanitizer_cov_trace_pc(void);
unsigned long locklab_path(void);

static inline void path_note(const void *at)
{
    path = mixed(path * 3 + (uint64_t)(uintptr_t)at);
}

unsigned long locklab_path(void)
{
    unsigned long taken = path;

    path = 0;
    return taken;
}

#endif
