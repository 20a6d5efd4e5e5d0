/* SPDX-License-Identifier: MIT */
/* The submission's functions under the names that the clients of all locks use. */
#include "rwlock.h"

#define LOCK_INIT() rwlock_init()
#define ACQUIRE(me) rwlock_write_acquire(me)
#define RELEASE(me) rwlock_write_release(me)
#define READ_ACQUIRE(me) rwlock_read_acquire(me)
#define READ_RELEASE(me) rwlock_read_release(me)
