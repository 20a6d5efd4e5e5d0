/* SPDX-License-Identifier: MIT */
/*
 * What the clients on real threads do with a lockref. The maker keeps its reference, so no put is the
 * last one. A thread that has no reference to put takes one.
 */
#include "calls.h"
#include "records.h"

enum operation { GET, GET_NOT_ZERO, PUT, PUT_OR_LOCK, COUNT };

static uint32_t own[8]; /* references of each thread */

static void requires_count(int32_t references)
{
    lockref_lock();
    worn_requires(lockref_count() == references, "the count is wrong");
    lockref_unlock();
}

/* Several references at once, fewer than numbers of 16 bits can count. */
static void use(unsigned me)
{
    unsigned references = worn.uses % 1024 == 0 ? 400 + me : 1;

    for (unsigned i = 0; i < references; i++)
        lockref_get();
    requires_count(1 + (int32_t)references);
    while (references-- > 0)
        worn_requires(lockref_put() == 1 + references, "lockref_put() returns a wrong number");
    requires_count(1);
}

static void client_begin(void)
{
    lockref_init();
    wear(order.seed, order.threads, use);
}

static void client_end(void) {}

static uint32_t done(unsigned operation, bool lost)
{
    int32_t references;

    switch (operation) {
    case GET:
        if (!lost)
            lockref_get();
        return 1;
    case GET_NOT_ZERO:
        return lockref_get_not_zero();
    case PUT:
        return lockref_put();
    case PUT_OR_LOCK:
        if (lockref_put_or_lock())
            return 1;
        lockref_unlock();
        return 0;
    default:
        lockref_lock();
        references = lockref_count();
        lockref_unlock();
        return (uint32_t)references;
    }
}

/* Performs operation number `i` of a thread and records it. `version` is not used. */
static void perform(unsigned thread, uint32_t i, uint64_t *random, unsigned *version)
{
    struct record *record = &records[(size_t)thread * order.operations + i];
    unsigned operation = (unsigned)(drawn(random) % 5);
    bool late = i > order.operations / 2;

    (void)version;
    if (own[thread] == 0 && (operation == PUT || operation == PUT_OR_LOCK))
        operation = GET;
    own[thread] += operation <= GET_NOT_ZERO;
    own[thread] -= operation == PUT || operation == PUT_OR_LOCK;
    record->thread = (uint8_t)thread;
    record->operation = (uint8_t)operation;
    record->began = ticket();
    record->result = done(operation, order.canary == LOST && late);
    record->ended = ticket();
    if (order.canary == TORN && late)
        record->result += 1u << 16;
    if (order.canary == STALE && late)
        record->result = 0;
}
