/* SPDX-License-Identifier: MIT */
/*
 * What an access does to memory.
 *
 * Under SC it takes effect at once; under TSO an atomic store may linger (buffers.c).
 *
 * Every change of memory also changes ex_memory_hash, and a change back restores it. A thread that
 * waits in vain is recognised by that (schedule.c).
 */
#include <string.h>

#include "explorer.h"

uint64_t ex_memory_hash;

static struct {
    address at;
    size_t size;
    uint64_t *new_value; /* where the report wants it */
} unsettled;

static bool acquires(enum order order)
{
    return order == CONSUME || order == ACQUIRE || order == ACQ_REL || order == SEQ_CST;
}

static bool releases(enum order order)
{
    return order == RELEASE || order == ACQ_REL || order == SEQ_CST;
}

uint64_t ex_mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;

    x = (x ^ (x >> 32)) * 0xc4ceb9fe1a85ec53u;
    return x ^ (x >> 29);
}

/* The sum of the words that [at, at + size) touches: put in and taken out by the same exclusive or.
 */
static void hash_words(address at, size_t size)
{
    for (address word = at & ~(address)7; word < at + size; word += 8)
        ex_memory_hash ^= ex_mix(word, *(uint64_t *)word);
}

static value peek(address at, unsigned size)
{
    value found = 0;

    memcpy(&found, (const void *)at, size);
    return found;
}

uint64_t ex_peek(address at, size_t size)
{
    return (uint64_t)peek(at, size < 8 ? (unsigned)size : 8);
}

void ex_memory_write(address at, const void *from, size_t size)
{
    hash_words(at, size);
    memmove((void *)at, from, size);
    hash_words(at, size);
}

static void poke(address at, unsigned size, value what)
{
    ex_memory_write(at, &what, size);
}

void ex_memory_begin(void)
{
    ex_memory_hash = 0;
    unsettled.size = 0;
}

/* plain accesses */

void ex_settle(void)
{
    if (unsettled.size == 0)
        return;
    hash_words(unsettled.at, unsettled.size);
    if (unsettled.new_value != NULL)
        *unsettled.new_value = ex_peek(unsettled.at, unsettled.size);
    unsettled.size = 0;
}

void ex_plain(address at, size_t size, bool writes)
{
    uint64_t old;
    uint64_t *new_value;

    if (ex_options.every_access)
        ex_point();
    ex_settle();
    ex_bound_steps(); /* a loop of plain reads meets no point */
    ex_self->pc = ex_door.pc;
    if (ex_buffered(at, size) != NULL)
        ex_drain(ex_self);
    ex_access(at, size, writes ? WRITES : READS);
    old = ex_peek(at, size);
    new_value = ex_step(writes ? "write" : "read", at, (unsigned)size, old, old);
    if (writes) {
        hash_words(at, size);
        unsettled.at = at;
        unsettled.size = size;
        unsettled.new_value = new_value;
    }
}

/* atomics */

/* Stays in the buffer by choice, at the price of one deviation, or because it stands behind. */
static bool lingers(enum order order)
{
    static const struct choice choices[] = {{-1, 0}, {-1, 1}};

    if (!ex_options.tso || order == SEQ_CST)
        return false;
    return ex_self->buffered > 0 || ex_choose(choices, 2) == 1;
}

/* A point; then all that can have happened to the word before is decided. */
static void arrives(address at, unsigned size)
{
    ex_point();
    ex_let_arrive(at, size);
}

static void starts(address at, unsigned size, enum access access)
{
    arrives(at, size);
    ex_access(at, size, access);
}

static void meets(address at, unsigned size, enum order order)
{
    ex_meet(at, size, acquires(order) ? &ex_self->now : &ex_self->met);
}

static const struct clock *published(enum order order)
{
    return releases(order) ? &ex_self->now : &ex_self->released;
}

value ex_load(address at, unsigned size, enum order order)
{
    const struct buffered *store;
    value found;

    starts(at, size, ATOMIC_READS);
    store = ex_buffered(at, size);
    if (store != NULL && store->at <= at && at + size <= store->at + store->size) {
        found = store->what >> (8 * (at - store->at));
        if (size < sizeof(found))
            found &= ((value)1 << (8 * size)) - 1;
        ex_step("load", at, size, (uint64_t)found, (uint64_t)found);
        return found;
    }
    if (store != NULL)
        ex_drain(ex_self);
    found = peek(at, size);
    meets(at, size, order);
    ex_step("load", at, size, (uint64_t)found, (uint64_t)found);
    return found;
}

void ex_store(address at, unsigned size, value what, enum order order)
{
    uint64_t old;

    starts(at, size, ATOMIC_WRITES);
    old = (uint64_t)peek(at, size);
    if (lingers(order)) {
        if (ex_self->buffered == MAX_BUFFERED)
            ex_flush_oldest(ex_self);
        ex_self->buffer[ex_self->buffered++] =
            (struct buffered){at, size, what, *published(order), ex_self->pc};
        ex_step("store", at, size, old, (uint64_t)what);
        ex_step_held();
        return;
    }
    ex_drain(ex_self);
    ex_reach_memory(at, size, what, published(order));
    ex_step("store", at, size, old, (uint64_t)what);
}

static value updated(enum update how, value old, value with)
{
    switch (how) {
    case SWAP:
        return with;
    case FETCH_ADD:
        return old + with;
    case FETCH_SUB:
        return old - with;
    case FETCH_AND:
        return old & with;
    case FETCH_OR:
        return old | with;
    case FETCH_XOR:
        return old ^ with;
    case FETCH_NAND:
        return ~(old & with);
    }
    return with;
}

/* A read-modify-write carries on the release sequence of the store that it read from. */
static void carry_on(address at, unsigned size, value what, enum order order)
{
    struct clock released = *published(order);

    ex_meet(at, size, &released);
    ex_reach_memory(at, size, what, &released);
}

value ex_update(enum update how, address at, unsigned size, value with, enum order order)
{
    static const char *const names[] = {"swap",     "fetch_add", "fetch_sub", "fetch_and",
                                        "fetch_or", "fetch_xor", "fetch_nand"};
    value old, new;

    starts(at, size, ATOMIC_WRITES);
    ex_drain(ex_self);
    old = peek(at, size);
    new = updated(how, old, with);
    meets(at, size, order);
    carry_on(at, size, new, order);
    ex_step(names[how], at, size, (uint64_t)old, (uint64_t)peek(at, size));
    return old;
}

bool ex_compare_swap(address at, unsigned size, value *expected, value desired, enum order success,
                     enum order failure)
{
    value old;
    bool equal;

    arrives(at, size);
    ex_drain(ex_self);
    old = peek(at, size);
    equal = old == *expected;
    /* C11 7.17.7.4: one that fails is a load. */
    ex_access(at, size, equal ? ATOMIC_WRITES : ATOMIC_READS);
    meets(at, size, equal ? success : failure);
    if (equal)
        carry_on(at, size, desired, success);
    ex_step("compare_swap", at, size, (uint64_t)old, (uint64_t)(equal ? desired : old));
    *expected = old;
    return equal;
}

void ex_fence(enum order order)
{
    ex_point();
    if (order == SEQ_CST)
        ex_drain(ex_self);
    if (acquires(order))
        ex_clock_join(&ex_self->now, &ex_self->met);
    if (releases(order))
        ex_self->released = ex_self->now;
    ex_step("fence", 0, 0, 0, 0);
}

/* words of the models */

uint32_t ex_word(address at)
{
    return (uint32_t)peek(at, sizeof(uint32_t));
}

void ex_word_set(address at, uint32_t to)
{
    ex_confine_write(at, sizeof(to));
    ex_self->writes += !ex_on_a_stack(at);
    poke(at, sizeof(to), to);
}

void ex_acquire(address at)
{
    ex_drain(ex_self);
    ex_access(at, sizeof(uint32_t), ATOMIC_READS);
    ex_meet(at, sizeof(uint32_t), &ex_self->now);
}

void ex_release(address at)
{
    struct clock released = ex_self->now;

    ex_drain(ex_self);
    ex_access(at, sizeof(uint32_t), ATOMIC_WRITES);
    ex_meet(at, sizeof(uint32_t), &released);
    ex_publish(at, sizeof(uint32_t), &released);
}
