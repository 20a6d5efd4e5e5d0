/* SPDX-License-Identifier: MIT */
/* The submission's functions, as all clients call them: CALL says how, NUMBER with which `me`. */
#include "rwlock.h"

CALLER void lock_init(void)
{
    CALL(rwlock_init());
}

CALLER void acquire(unsigned me)
{
    CALL(rwlock_write_acquire(NUMBER(me)));
}

CALLER void release(unsigned me)
{
    CALL(rwlock_write_release(NUMBER(me)));
}

CALLER void read_acquire(unsigned me)
{
    CALL(rwlock_read_acquire(NUMBER(me)));
}

CALLER void read_release(unsigned me)
{
    CALL(rwlock_read_release(NUMBER(me)));
}

/* A complete use by one thread (worn.h). */
UNSEEN void use(int me)
{
    read_acquire((unsigned)me);
    read_release((unsigned)me);
    acquire((unsigned)me);
    release((unsigned)me);
}
