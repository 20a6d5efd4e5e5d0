/* SPDX-License-Identifier: MIT */
/*
 * What an access does to memory.
 *
 * Under SC it takes effect at once; under TSO an atomic store enters a buffer (buffers.c).
 *
 * Every change of memory also changes ex_memory_hash, and a change back restores it. A run that
 * comes back to an earlier state is recognised by that (schedule.c).
 */
#include <string.h>

#include "explorer.h"

uint64_t ex_memory_hash;

static struct {
    address at;
    size_t size;
    value old;
    uint64_t *new_value; /* where the report wants it */
} unsettled;

/* A volatile access: the program makes it itself, once it has been announced. */
static struct {
    bool reads, writes;
    address at;
    unsigned size;
    value kept; /* what memory holds, where the program shall find or put another value */
} announced;

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
    if (ex_is_sole()) /* no state of it comes back to another one's run */
        return;
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
    announced.reads = announced.writes = false;
}

value ex_bytes(address at, unsigned size)
{
    return peek(at, size < sizeof(value) ? size : sizeof(value));
}

static value cut(value what, unsigned size)
{
    return size < sizeof(what) ? what & (((value)1 << (8 * size)) - 1) : what;
}

value ex_visible(const struct thread *thread, address at, unsigned size)
{
    const struct buffered *store = ex_buffered(thread, at, size);

    if (store != NULL && ex_buffer_covers(store, at, size))
        return cut(store->what >> (8 * (at - store->at)), size);
    return ex_bytes(at, size);
}

/* plain accesses */

static bool is_own_stack(address at)
{
    return ex_on_a_stack(at) && ex_stack_owner(at) == ex_self && at < ex_stack_top(ex_self);
}

/* A loop is known by what it reads, and by what it changes. */
static void add_plain(address at, size_t size, bool changes, value old)
{
    if (is_own_stack(at))
        return;
    if (changes && size > sizeof(value)) {
        ex_spins_forget(ex_self);
        return;
    }
    for (size_t done = 0; done < size; done += sizeof(value)) {
        unsigned part = (unsigned)(size - done < sizeof(value) ? size - done : sizeof(value));
        value now = peek(at + done, part);

        ex_spins_add_plain(at + done, part, changes && now != old, changes ? old : now, now);
    }
}

static void store_end(address at, unsigned size, value what, enum order order);

static void settle_volatile(void)
{
    value found = peek(announced.at, announced.size);
    bool writes = announced.writes;

    announced.reads = announced.writes = false;
    memcpy((void *)announced.at, &announced.kept, announced.size);
    if (writes)
        store_end(announced.at, announced.size, found, RELAXED);
}

void ex_settle(void)
{
    size_t size = unsettled.size;

    if (announced.reads || announced.writes)
        settle_volatile();
    if (size == 0)
        return;
    unsettled.size = 0;
    hash_words(unsettled.at, size);
    if (unsettled.new_value != NULL)
        *unsettled.new_value = ex_peek(unsettled.at, size);
    add_plain(unsettled.at, size, true, unsettled.old);
}

void ex_plain(address at, size_t size, bool writes)
{
    uint64_t old;
    uint64_t *new_value;

    if (ex_options.every_access && !is_own_stack(at))
        ex_point((struct operation){.at = at,
                                    .size = (unsigned)size,
                                    .effect = writes ? STORES : LOOKS,
                                    .drains = ex_buffered(ex_self, at, size) != NULL});
    ex_settle();
    ex_bound_steps(); /* a loop of plain reads meets no point */
    ex_self->pc = ex_door.pc;
    ex_plain_patience();
    if (ex_buffered(ex_self, at, size) != NULL)
        ex_point((struct operation){.effect = NOTHING, .drains = true});
    ex_access(at, size, writes ? WRITES : READS);
    old = ex_peek(at, size);
    new_value = ex_step(writes ? "write" : "read", at, (unsigned)size, old, old);
    if (writes) {
        hash_words(at, size);
        unsettled.at = at;
        unsettled.size = size;
        unsettled.old = ex_bytes(at, (unsigned)size);
        unsettled.new_value = new_value;
    } else {
        add_plain(at, size, false, 0);
    }
}

/* atomics */

/* The only thread reads and writes memory itself, whatever the model. */
static bool has_messages(void)
{
    return ex_options.c11 && !ex_is_sole();
}

static struct operation atomic(address at, unsigned size, enum effect effect, enum order order)
{
    return (struct operation){.at = at,
                              .size = size,
                              .effect = effect,
                              .drains = effect != LOOKS,
                              .message = has_messages(),
                              .total = has_messages() && order == SEQ_CST};
}

/* Goes into the buffer? In the complete search always: when it leaves is the buffer's own step. In
 * the others by choice, at the price of one deviation, or because it stands behind. */
static bool lingers(address at, unsigned size, enum order order)
{
    const struct operation store = atomic(at, size, STORES, order);
    bool only_here;

    if (!ex_options.tso || order == SEQ_CST || ex_is_sole())
        return false;
    if (ex_reduces() || ex_self->buffered > 0)
        return true;
    ex_reached_note(ex_self, &store);
    only_here = ex_reached_by_one(&store);
    return ex_choose_among(2, 1, only_here ? 1 : 3) == 1;
}

static void note_order(const struct operation *operation, enum order order, value found,
                       value put_there, bool writes)
{
    if (has_messages())
        ex_orders_add(operation, order, found, put_there, writes);
}

/* The value that an operation finds. */
static value finds(const struct operation *operation)
{
    ex_heap_check(operation->at, operation->size, operation->effect != LOOKS);
    if (has_messages())
        return ex_message_read(operation);
    return operation->drains ? peek(operation->at, operation->size)
                             : ex_visible(ex_self, operation->at, operation->size);
}

/* What was released with it; returns how many newer values there are. */
static unsigned meets(const struct operation *operation, enum order order)
{
    struct clock *into = acquires(order) ? &ex_self->now : &ex_self->met;

    if (has_messages())
        return ex_message_meet(into);
    if (ex_buffered(ex_self, operation->at, operation->size) == NULL)
        ex_meet(operation->at, operation->size, into);
    return 0;
}

static const struct clock *published(enum order order)
{
    return releases(order) ? &ex_self->now : &ex_self->released;
}

static unsigned puts_there(const struct operation *operation, value what, enum order order)
{
    if (has_messages())
        return ex_message_put(operation, what, published(order), order == SEQ_CST);
    ex_reach_memory(ex_self, operation->at, operation->size, what, published(order),
                    operation->effect != STORES, false);
    return 0;
}

value ex_load(address at, unsigned size, enum order order)
{
    const struct operation operation = atomic(at, size, LOOKS, order);
    unsigned newer;
    value found;

    ex_point(operation);
    found = finds(&operation);
    ex_access(at, size, ATOMIC_READS);
    newer = meets(&operation, order);
    note_order(&operation, order, found, found, false);
    ex_step("load", at, size, (uint64_t)found, (uint64_t)found);
    ex_step_behind(newer);
    return found;
}

static bool is_held; /* the store that begins, in the buffer */

static void store_begin(address at, unsigned size, enum order order)
{
    bool lingering = lingers(at, size, order);

    if (lingering) { /* others notice nothing of it yet: no point */
        ex_settle();
        ex_bound_steps();
        ex_self->pc = ex_door.pc;
        ex_plain_patience();
        ex_spins_forget(ex_self);
    } else {
        ex_point(atomic(at, size, STORES, order));
    }
    is_held = lingering;
    ex_access(at, size, ATOMIC_WRITES);
}

static void store_end(address at, unsigned size, value what, enum order order)
{
    const struct operation operation = atomic(at, size, STORES, order);
    uint64_t old = ex_peek(at, size);
    unsigned newer = 0;

    if (is_held)
        ex_buffer_add(at, size, what, published(order));
    else
        newer = puts_there(&operation, what, order);
    note_order(&operation, order, 0, what, true);
    ex_step("store", at, size, old, (uint64_t)what);
    if (is_held)
        ex_step_held();
    ex_step_behind(newer);
}

void ex_store(address at, unsigned size, value what, enum order order)
{
    store_begin(at, size, order);
    store_end(at, size, what, order);
}

void ex_volatile(address at, unsigned size, bool writes)
{
    value found = 0;

    if (writes)
        store_begin(at, size, RELAXED);
    else
        found = ex_load(at, size, RELAXED);
    announced.at = at;
    announced.size = size;
    announced.kept = peek(at, size);
    announced.reads = !writes && found != announced.kept;
    announced.writes = writes;
    if (announced.reads)
        memcpy((void *)at, &found, size);
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

value ex_update(enum update how, address at, unsigned size, value with, enum order order)
{
    static const char *const names[] = {"swap",     "fetch_add", "fetch_sub", "fetch_and",
                                        "fetch_or", "fetch_xor", "fetch_nand"};
    const struct operation operation = atomic(at, size, UPDATES, order);
    unsigned newer;
    value old, new;

    ex_point(operation);
    old = finds(&operation);
    new = cut(updated(how, old, with), size);
    ex_access(at, size, ATOMIC_WRITES);
    meets(&operation, order);
    newer = puts_there(&operation, new, order);
    note_order(&operation, order, old, new, true);
    ex_step(names[how], at, size, (uint64_t)old, (uint64_t)new);
    ex_step_behind(newer);
    return old;
}

bool ex_compare_swap(address at, unsigned size, value *expected, value desired, enum order success,
                     enum order failure, bool is_weak)
{
    struct operation operation = atomic(at, size, COMPARES, success);
    unsigned newer;
    value old;
    bool equal;

    operation.expected = *expected;
    operation.fails_total = has_messages() && failure == SEQ_CST;
    operation.weak = is_weak && ex_options.spurious;
    ex_point(operation);
    old = finds(&operation);
    equal = old == *expected;
    if (equal && has_messages() && ex_message_is_taken()) { /* only a weak one can read it */
        equal = false;
        ex_spins_add_choice();
    }
    if (equal && is_weak && ex_happens(SPURIOUS, ex_options.spurious))
        equal = false;
    /* C11 7.17.7.4: one that fails is a load. */
    ex_access(at, size, equal ? ATOMIC_WRITES : ATOMIC_READS);
    newer = meets(&operation, equal ? success : failure);
    if (equal)
        newer = puts_there(&operation, desired, success);
    note_order(&operation, equal ? success : failure, old, desired, equal);
    ex_step("compare_swap", at, size, (uint64_t)old, (uint64_t)(equal ? desired : old));
    ex_step_behind(newer);
    *expected = old;
    return equal;
}

/* Only buffers and messages make a fence an affair of other threads'. */
void ex_fence(enum order order)
{
    if (order == SEQ_CST && (ex_options.tso || has_messages()))
        ex_point((struct operation){.effect = NOTHING, .drains = true, .total = has_messages()});
    ex_settle();
    ex_self->pc = ex_door.pc;
    if (acquires(order))
        ex_clock_join(&ex_self->now, &ex_self->met);
    if (order == SEQ_CST && has_messages()) {
        ex_messages_fence();
        ex_orders_add(&(struct operation){.effect = NOTHING}, SEQ_CST, 0, 0, false);
    }
    ex_orders_synchronise();
    if (releases(order))
        ex_self->released = ex_self->now;
    ex_step("fence", 0, 0, 0, 0);
}

void ex_plain_read(void *to, address at, size_t size)
{
    ex_settle();
    ex_self->pc = ex_door.pc;
    ex_access(at, size, READS);
    memcpy(to, (const void *)at, size);
    add_plain(at, size, false, 0);
}

void ex_plain_write(address at, const void *from, size_t size)
{
    value old;

    ex_settle();
    ex_access(at, size, WRITES);
    old = ex_bytes(at, (unsigned)size);
    ex_memory_write(at, from, size);
    add_plain(at, size, true, old);
}

/* words of the models */

uint32_t ex_word(address at)
{
    return (uint32_t)peek(at, sizeof(uint32_t));
}

void ex_word_set(address at, uint32_t to)
{
    ex_confine_write(at, sizeof(to));
    ex_count_write(at);
    ex_stack_access(ex_self, at, sizeof(to), true);
    poke(at, sizeof(to), to);
}

void ex_acquire(address at)
{
    ex_access(at, sizeof(uint32_t), ATOMIC_READS);
    ex_meet(at, sizeof(uint32_t), &ex_self->now);
    ex_orders_synchronise();
}

void ex_release(address at)
{
    ex_access(at, sizeof(uint32_t), ATOMIC_WRITES);
    ex_publish(ex_self, at, sizeof(uint32_t), &ex_self->now, true);
    ex_orders_synchronise();
}
