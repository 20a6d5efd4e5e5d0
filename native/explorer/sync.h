/* SPDX-License-Identifier: MIT */
/*
 * What the models of POSIX's and C11's objects share.
 *
 * A mutex, a condition variable and so on keep their state in the first words of the program's own
 * object, where the static initialisers have put 0. So it is put back with the statics, belongs
 * to the memory that loops are recognised by, and is checked for use after free like
 * everything else. What a thread waits for is a condition on such a word.
 */
#ifndef LOCKLAB_EXPLORER_SYNC_H
#define LOCKLAB_EXPLORER_SYNC_H

#include "explorer.h"

#define ENTRY(name) ex_do_##name

/* The calling thread's number + 1: an owner is no 0. */
static inline uint32_t ex_me(void)
{
    return (uint32_t)ex_self->number + 1;
}

/* What an operation of an object does: it changes the object's first bytes, and it is a barrier. */
static inline struct operation ex_changes(const void *object, unsigned size)
{
    return (struct operation){
        .at = (address)object, .size = size, .effect = UPDATES, .drains = true};
}

/* Sets a word, and reports it as a step. */
static inline void ex_set(const char *operation, address at, uint32_t to)
{
    uint32_t old = ex_word(at);

    ex_word_set(at, to);
    ex_step(operation, at, sizeof(to), old, to);
}

/* A new object: a plain write, so that using it before is a race. */
static inline void ex_fresh(void *object, size_t size)
{
    static const uint32_t zero[16];

    ex_settle();
    ex_self->pc = ex_door.pc;
    ex_plain_write((address)object, zero, size);
}

/* mutexes.c */
bool ex_lock(void *mutex);
bool ex_try_lock(void *mutex);
bool ex_unlock(void *mutex);
/* An object that is used again after it was destroyed, or destroyed while it is used. */
void ex_destroy(void *object, size_t size, bool is_used);
void ex_check(const void *object, size_t size);

#endif
