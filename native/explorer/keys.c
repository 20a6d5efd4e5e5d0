/* SPDX-License-Identifier: MIT */
/*
 * Values that each thread has of its own: pthread_key_create() and C11's tss_create().
 *
 * When a thread ends, the destructors of its values that are not NULL run in it, in rounds, as long
 * as they leave such values, and at most as often as POSIX asks for.
 */
#include <limits.h>
#include <pthread.h>
#include <threads.h>

#include "sync.h"

#define MAX_KEYS 64

static struct keys {
    bool used[MAX_KEYS];
    void (*destructors[MAX_KEYS])(void *);
    const void *values[MAX_THREADS][MAX_KEYS];
} keys, kept;

static unsigned n_keys; /* of any run: those from here on are unused */

void ex_keys_begin(void)
{
    if (n_keys > 0)
        keys = (struct keys){0};
}

void ex_keys_keep(void)
{
    if (n_keys > 0)
        kept = keys;
}

void ex_keys_put_back(void)
{
    if (n_keys > 0)
        keys = kept;
}

void ex_keys_range(address *from, address *to)
{
    *from = (address)keys.values;
    *to = *from + (n_keys > 0 ? sizeof(keys.values) : 0);
}

/* Which number is free depends on the order of these calls. */
static void meet(void)
{
    ex_note_caller();
    ex_point((struct operation){.at = SUBJECT_KEYS, .size = 1, .effect = UPDATES});
    ex_spins_forget(ex_self);
}

static void create(unsigned *key, void (*destructor)(void *))
{
    unsigned number = 0;

    meet();
    while (number < MAX_KEYS && keys.used[number])
        number++;
    if (number == MAX_KEYS)
        ex_give_up("the program has more than %d keys at once: make the test smaller", MAX_KEYS);
    if (number >= n_keys)
        n_keys = number + 1;
    keys.used[number] = true;
    keys.destructors[number] = destructor;
    for (int i = 0; i < MAX_THREADS; i++)
        keys.values[i][number] = NULL;
    ex_plain_write((address)key, &number, sizeof(number));
}

static void check(unsigned key)
{
    ex_note_caller();
    if (key >= MAX_KEYS || !keys.used[key])
        ex_fail("fault", "thread %d names a key at {pc:%zx} that was never created, or is deleted",
                ex_self->number, ex_self->pc);
}

static void delete(unsigned key)
{
    meet();
    check(key);
    keys.used[key] = false;
}

static void set(unsigned key, const void *value)
{
    check(key);
    ex_spins_forget(ex_self); /* a value is no part of the state that loops are known by */
    keys.values[ex_self->number][key] = value;
}

static void *get(unsigned key)
{
    check(key);
    return (void *)(uintptr_t)keys.values[ex_self->number][key];
}

static bool destroy_values(void)
{
    bool any = false;

    for (unsigned i = 0; i < n_keys; i++) {
        void *value = (void *)(uintptr_t)keys.values[ex_self->number][i];

        if (!keys.used[i] || keys.destructors[i] == NULL || value == NULL)
            continue;
        any = true;
        keys.values[ex_self->number][i] = NULL;
        keys.destructors[i](value);
    }
    return any;
}

void ex_keys_end(void)
{
    for (int i = 0; i < _POSIX_THREAD_DESTRUCTOR_ITERATIONS && destroy_values(); i++)
        ;
    for (unsigned i = 0; i < n_keys; i++)
        keys.values[ex_self->number][i] = NULL;
}

int ENTRY(pthread_key_create)(pthread_key_t *key, void (*destructor)(void *))
{
    create(key, destructor);
    return 0;
}

int ENTRY(pthread_key_delete)(pthread_key_t key)
{
    delete(key);
    return 0;
}

int ENTRY(pthread_setspecific)(pthread_key_t key, const void *value)
{
    set(key, value);
    return 0;
}

void *ENTRY(pthread_getspecific)(pthread_key_t key)
{
    return get(key);
}

int ENTRY(tss_create)(tss_t *key, tss_dtor_t destructor)
{
    create(key, destructor);
    return thrd_success;
}

void ENTRY(tss_delete)(tss_t key)
{
    delete(key);
}

int ENTRY(tss_set)(tss_t key, void *value)
{
    set(key, value);
    return thrd_success;
}

void *ENTRY(tss_get)(tss_t key)
{
    return get(key);
}
