/* SPDX-License-Identifier: MIT */
/*
 * Waiting loops.
 *
 * A thread's state at a point: the place, the registers that a call preserves, its stack as far as
 * the thread knows it, and what its models remember. When it comes back to a state in which it was
 * earlier in this run, what it did in between is an iteration, and the iteration can be left out of
 * the run when nothing else depends on it:
 *
 *   - each word that it changed has at the end the value of the beginning,
 *   - between its first and its last change of the word no other thread accessed it,
 *   - what was released there is at the end no less than at the beginning.
 *
 * A read-modify-write that writes what was there (a test-and-set that finds the lock taken) changes
 * nothing. Without the iteration every other thread sees the same values, and orders fewer accesses
 * by it; the thread itself is in the same state. So the run without it is a run too; it fails
 * where the longer one fails, and has its races and more. A shortest run that fails contains no
 * such iteration to its end. That is why the complete search may stop a thread there, and look no
 * further for what it would do later: docs/explain/explorer.md has the argument in full.
 *
 * Nothing of this depends on the order in which independent steps of the run were made. That is why
 * a word of the stack counts by what the thread itself last wrote or read there, and not by what
 * another has written since.
 */
#include <string.h>

#include "explorer.h"

#define MAX_VISITS 256
#define MAX_EFFECTS 256
#define MAX_FOREIGN 64

struct effect_done {
    address at;
    unsigned size;
    bool changes, plain, locks, releases, weakens, choice;
    value old, new;
    uint32_t count; /* of accesses to these bytes, with this one */
};

struct visit {
    uint64_t state;
    unsigned effects; /* before it */
};

struct foreign { /* a word of the stack that others have written since the thread knew it */
    address word;
    uint64_t known;
    uint8_t bytes;
};

struct past {
    struct visit visits[MAX_VISITS];
    struct effect_done effects[MAX_EFFECTS];
    struct foreign foreign[MAX_FOREIGN];
    unsigned n_visits, n_effects, n_foreign;
    unsigned from; /* the effect that the iteration begins with */
    bool opaque;   /* more than can be kept was written to its stack */
};

static struct past pasts[MAX_THREADS];

void ex_spins_forget(struct thread *thread)
{
    struct past *past = &pasts[thread->number];

    past->n_visits = past->n_effects = 0;
}

void ex_spins_begin(struct thread *thread)
{
    struct past *past = &pasts[thread->number];

    ex_spins_forget(thread);
    past->n_foreign = 0;
    past->opaque = false;
}

/* the thread's own state */

static void exchange_foreign(struct past *past)
{
    for (unsigned i = 0; i < past->n_foreign; i++) {
        struct foreign *foreign = &past->foreign[i];
        unsigned char *now = (unsigned char *)foreign->word, *known = (void *)&foreign->known;

        for (int byte = 0; byte < 8; byte++)
            if (foreign->bytes >> byte & 1) {
                unsigned char kept = now[byte];

                now[byte] = known[byte];
                known[byte] = kept;
            }
    }
}

static uint64_t hash_of(const struct thread *thread, address place)
{
    address low = ex_stack_pointer(thread), top = ex_stack_top(thread);
    uint64_t hash = ex_mix(ex_mix(ex_door.pc, low), ex_mix(place, thread->next.at));

    ex_stack_is_used(thread, low - 4096);
    for (const uint64_t *at = (const uint64_t *)(low & ~(address)7); at < (const uint64_t *)top;
         at++)
        hash = (hash ^ *at) * 0x9fb21c651e98df25u + (hash >> 29);
    for (unsigned i = 0; i < sizeof(ex_door.saved) / sizeof(ex_door.saved[0]); i++)
        hash = ex_mix(hash, ex_door.saved[i]);
    hash = ex_mix(hash, thread->random * 4 + thread->reader.registered);
    return ex_mix(hash, thread->reader.depth);
}

void ex_stack_access(const struct thread *by, address at, size_t size, bool writes)
{
    struct thread *owner;
    struct past *past;

    if (!ex_on_a_stack(at))
        return;
    owner = ex_stack_owner(at);
    if (at >= ex_stack_top(owner))
        return; /* thread-local variables are memory */
    past = &pasts[owner->number];
    for (address word = at & ~(address)7; word < at + size; word += 8) {
        uint8_t bytes = 0;
        unsigned i = 0;

        for (address byte = word; byte < word + 8; byte++)
            if (byte >= at && byte < at + size)
                bytes |= (uint8_t)(1 << (byte - word));
        while (i < past->n_foreign && past->foreign[i].word != word)
            i++;
        if (owner == by) {
            if (i < past->n_foreign && (past->foreign[i].bytes &= (uint8_t)~bytes) == 0)
                past->foreign[i] = past->foreign[--past->n_foreign];
        } else if (writes) {
            if (i == past->n_foreign) {
                if (i == MAX_FOREIGN) {
                    past->opaque = true;
                    return;
                }
                past->foreign[past->n_foreign++] = (struct foreign){.word = word};
            }
            for (int byte = 0; byte < 8; byte++)
                if ((bytes & ~past->foreign[i].bytes) >> byte & 1)
                    ((unsigned char *)&past->foreign[i].known)[byte] =
                        ((const unsigned char *)word)[byte];
            past->foreign[i].bytes |= bytes;
        }
    }
}

/* what it did */

static struct effect_done *next_effect(struct thread *thread)
{
    struct past *past = &pasts[thread->number];

    if (past->n_effects == MAX_EFFECTS)
        ex_spins_forget(thread);
    return &past->effects[past->n_effects++];
}

void ex_spins_add(struct thread *thread, const struct operation *operation, value old, value new,
                  bool weakens)
{
    bool stays = old == new && operation->effect != STORES;

    *next_effect(thread) = (struct effect_done){
        .at = operation->at,
        .size = operation->size,
        .changes = operation->effect != LOOKS && !stays,
        .locks = operation->locks,
        .releases = operation->locks && operation->open == NULL,
        .weakens = weakens,
        .old = old,
        .new = new,
        .count = ex_count(operation->at, operation->size),
    };
}

void ex_spins_add_plain(address at, size_t size, bool changes, value old, value new)
{
    *next_effect(ex_self) = (struct effect_done){.at = at,
                                                 .size = (unsigned)size,
                                                 .changes = changes,
                                                 .plain = true,
                                                 .old = old,
                                                 .new = new};
}

void ex_spins_add_choice(void)
{
    *next_effect(ex_self) = (struct effect_done){.choice = true};
}

static unsigned overlap(const struct effect_done *a, const struct effect_done *b)
{
    address from = a->at > b->at ? a->at : b->at;
    address to = a->at + a->size < b->at + b->size ? a->at + a->size : b->at + b->size;

    return from < to ? (unsigned)(to - from) : 0;
}

/* Is `first` the first change of its word, and does the iteration put the word back unobserved? */
static bool is_put_back(const struct past *past, unsigned first)
{
    const struct effect_done *one = &past->effects[first], *last = one;
    uint32_t own = 0, own_until_last = 0;

    for (unsigned i = first + 1; i < past->n_effects; i++) {
        const struct effect_done *other = &past->effects[i];

        if (overlap(one, other) == 0)
            continue;
        own += other->plain ? 0 : overlap(one, other);
        if (!other->changes)
            continue;
        if (other->at != one->at || other->size != one->size || other->plain != one->plain)
            return false;
        last = other;
        own_until_last = own;
    }
    return last->new == one->old && (one->plain || last->count - one->count == own_until_last);
}

static bool can_be_left_out(const struct past *past, unsigned from)
{
    for (unsigned i = from; i < past->n_effects; i++) {
        const struct effect_done *one = &past->effects[i];
        bool is_first = true;

        if (!one->changes)
            continue;
        if (one->weakens)
            return false;
        for (unsigned j = from; j < i; j++)
            is_first = is_first && !(past->effects[j].changes && overlap(&past->effects[j], one));
        if (is_first && (one->releases || !is_put_back(past, i)))
            return false; /* a loop begins where its lock is free */
    }
    return true;
}

bool ex_spins(struct thread *thread, address place)
{
    struct past *past = &pasts[thread->number];
    uint64_t state;

    if (ex_stack_pointer(thread) == 0) { /* a model's: what it knows is not on its stack */
        thread->state = ex_mix(thread->state, place);
        return false;
    }
    exchange_foreign(past);
    state = hash_of(thread, place);
    exchange_foreign(past);
    thread->state = state;
    if (past->opaque)
        return false;
    for (unsigned i = past->n_visits; i-- > 0;)
        if (past->visits[i].state == state && can_be_left_out(past, past->visits[i].effects)) {
            past->from = past->visits[i].effects;
            return true;
        }
    if (past->n_visits == MAX_VISITS)
        ex_spins_forget(thread);
    past->visits[past->n_visits++] = (struct visit){state, past->n_effects};
    return false;
}

bool ex_spins_on(const struct thread *thread)
{
    const struct past *past = &pasts[thread->number];

    for (unsigned i = past->from; i < past->n_effects; i++) {
        const struct effect_done *one = &past->effects[i];
        bool is_own = false;

        if (one->choice)
            return false;
        for (unsigned j = past->from; j < i; j++)
            is_own = is_own || (past->effects[j].changes && overlap(&past->effects[j], one));
        if (!is_own && ex_visible(thread, one->at, one->size) != one->old)
            return false;
    }
    return true;
}

/* Could the other see that the word is changed for a while? A lock that is held for a while makes
 * others wait, and no more. */
static bool meets(const struct effect_done *one, const struct thread *other)
{
    const struct past *past = &pasts[other->number];
    const struct operation *next = &other->next;

    if (!other->spins)
        return next->open != NULL && next->open(one->new, other) && next->at == one->at;
    for (unsigned i = past->from; i < past->n_effects; i++)
        if (overlap(one, &past->effects[i]) && !(one->locks && past->effects[i].locks))
            return true;
    return false;
}

bool ex_spins_disturbs(const struct thread *thread, const struct thread *other)
{
    const struct past *past = &pasts[thread->number];

    for (unsigned i = past->from; i < past->n_effects; i++)
        if (past->effects[i].changes && meets(&past->effects[i], other))
            return true;
    return false;
}
