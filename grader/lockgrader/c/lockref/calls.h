/* SPDX-License-Identifier: MIT */
/* The submission's functions, as all clients call them: CALL says how. */
#include "lockref.h"

/* A call that counts. */
#ifndef COUNTING
#define COUNTING(name, call) CALL(call)
#endif

CALLER void lock_init(void)
{
    CALL(lockref_init());
}

CALLER void acquire(unsigned me)
{
    (void)me;
    CALL(lockref_lock());
}

CALLER void release(unsigned me)
{
    (void)me;
    CALL(lockref_unlock());
}

CALLER int32_t counted(void)
{
    int32_t references;

    CALL(references = lockref_count());
    return references;
}

CALLER void get(void)
{
    COUNTING("lockref_get()", lockref_get());
}

CALLER uint32_t put(void)
{
    uint32_t left;

    COUNTING("lockref_put()", left = lockref_put());
    return left;
}

CALLER bool get_not_zero(void)
{
    bool got;

    COUNTING("lockref_get_not_zero()", got = lockref_get_not_zero());
    return got;
}

CALLER bool put_or_lock(void)
{
    bool gone;

    COUNTING("lockref_put_or_lock()", gone = lockref_put_or_lock());
    return gone;
}

CALLER void mark_dead(void)
{
    CALL(lockref_mark_dead());
}

UNSEEN void requires_count(int32_t references)
{
    acquire(0);
    worn_requires(counted() == references, "the count is wrong");
    release(0);
}

/* A complete use by one thread (worn.h). Sometimes it has several references at once, fewer than
 * numbers of 16 bits can count. */
UNSEEN void use(int me)
{
    unsigned references = worn.uses % 1024 == 0 ? 400 + (unsigned)me : 1;

    for (unsigned i = 0; i < references; i++)
        if ((worn.uses + i) % 2 == 0)
            get();
        else
            worn_requires(get_not_zero(), "get_not_zero() is false, but the maker has a reference");
    requires_count(1 + (int32_t)references);
    while (references-- > 0)
        if ((worn.uses + references) % 3 == 0)
            worn_requires(put_or_lock(), "put_or_lock() is false, but the maker has a reference");
        else
            worn_requires(put() == 1 + references, "put() returns a wrong number");
    requires_count(1);
}
