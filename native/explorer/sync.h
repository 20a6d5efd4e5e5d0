/* SPDX-License-Identifier: MIT */
/*
 * What the models of POSIX's and C11's objects share.
 *
 * A mutex, a condition variable and so on keep their state in the first words of the program's own
 * object, where the static initialisers have put 0. So it is put back with the statics, belongs
 * to the memory that spinning is recognised by, and is checked for use after free like
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

/* Sets a word, and tells it as a step. */
static inline void ex_set(const char *operation, address at, uint32_t to)
{
    uint32_t old = ex_word(at);

    ex_word_set(at, to);
    ex_step(operation, at, sizeof(to), old, to);
}

/* A new object of up to 4 words: a plain write, so that using it before is a race. */
static inline void ex_fresh(void *object, unsigned words)
{
    uint32_t zero[4] = {0};

    ex_settle();
    ex_self->pc = ex_door.pc;
    ex_access((address)object, words * sizeof(zero[0]), WRITES);
    ex_memory_write((address)object, zero, words * sizeof(zero[0]));
}

/* mutexes.c */
void ex_lock(void *mutex);
bool ex_try_lock(void *mutex);
void ex_unlock(void *mutex);

#endif
