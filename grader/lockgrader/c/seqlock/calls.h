/* SPDX-License-Identifier: MIT */
/* The submission's functions, as all clients call them: CALL says how, NUMBER with which `me`. */
#include "seqlock.h"

/* A call of a reader. */
#ifndef READING
#define READING(call) CALL(call)
#endif

CALLER void lock_init(void)
{
    CALL(seqlock_init());
}

CALLER void acquire(unsigned me)
{
    CALL(seqlock_write_begin(NUMBER(me)));
}

CALLER void release(unsigned me)
{
    CALL(seqlock_write_end(NUMBER(me)));
}

CALLER uint32_t read_begin(void)
{
    uint32_t number;

    READING(number = seqlock_read_begin());
    return number;
}

CALLER bool read_retry(uint32_t number)
{
    bool again;

    READING(again = seqlock_read_retry(number));
    return again;
}

/* Does a reader keep its number during a whole batch of uses? */
#ifndef HOLDS
#define HOLDS false
#endif

/* A complete use by one thread (worn.h). */
UNSEEN void use(int me)
{
    static uint32_t held;
    uint32_t number = read_begin();

    if (worn.uses == worn.batch)
        held = number;
    worn_requires(!read_retry(number), "read_retry() is true, but there was no writer");
    acquire((unsigned)me);
    release((unsigned)me);
    worn_requires(read_retry(number),
                  "read_retry() is false, but a writer was inside since read_begin()");
    worn_requires(!HOLDS || read_retry(held),
                  "read_retry() is false, but several writers were inside since read_begin(): the "
                  "number comes back too soon");
}
