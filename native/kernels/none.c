/* SPDX-License-Identifier: MIT */
/* No lock at all. Timed, it is the empty loop; validated by two threads, it must be found wrong. */
#include "harness/pause.h"

#define KERNEL none
#define LOCK char
#define INIT(lock) ((void)(lock))
#define ACQUIRE(lock, node) ((void)(lock), (void)(node))
#define RELEASE(lock, node) ((void)(lock), (void)(node))

#include LOCKLAB_LOOP
