/* SPDX-License-Identifier: MIT */
/* What the kernels here and in workloads/ share: names of loops, a way out of prepare(). */
#ifndef LOCKLAB_STRUCTURES_KERNEL_H
#define LOCKLAB_STRUCTURES_KERNEL_H

#include <errno.h>
#include <stddef.h>

/* Disposes of a state that could not be finished, and keeps the reason for prepare()'s caller. */
static inline void *given_up(void *state, void (*dispose)(void *state))
{
    int error = errno;

    dispose(state);
    errno = error;
    return NULL;
}

#endif
