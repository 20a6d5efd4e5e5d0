/* SPDX-License-Identifier: MIT */
/*
 * What the clients on real threads do with a lockref. The maker keeps its reference, so no put is the
 * last one. A thread that has no reference to put takes one.
 */
#include "records.h"

#include "calls.h"

enum operation { GET, GET_NOT_ZERO, PUT, PUT_OR_LOCK, COUNT };

static uint32_t own[8]; /* references of each thread */

static void client_begin(void)
{
    lock_init();
    wear_alone(order.seed, order.threads, use);
}

static void client_end(void) {}

static uint32_t done(unsigned operation, bool lost)
{
    int32_t references;

    switch (operation) {
    case GET:
        get();
        if (lost)
            get(); /* a put is lost; a lost get would take references that do not exist */
        return 1;
    case GET_NOT_ZERO:
        return get_not_zero();
    case PUT:
        return put();
    case PUT_OR_LOCK:
        if (put_or_lock())
            return 1;
        release(0);
        return 0;
    default:
        acquire(0);
        references = counted();
        release(0);
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
