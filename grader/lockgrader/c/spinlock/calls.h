/* SPDX-License-Identifier: MIT */
/* The submission's functions, as all clients call them: CALL says how, NUMBER with which `me`. */
#include "spinlock.h"

CALLER void lock_init(void)
{
    CALL(spinlock_init());
}

CALLER void acquire(unsigned me)
{
    CALL(spinlock_acquire(NUMBER(me)));
}

CALLER void release(unsigned me)
{
    CALL(spinlock_release(NUMBER(me)));
}

/* A complete use by one thread (worn.h). */
UNSEEN void use(int me)
{
    acquire((unsigned)me);
    release((unsigned)me);
}
