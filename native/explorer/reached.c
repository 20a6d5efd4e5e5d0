/* SPDX-License-Identifier: MIT */
/*
 * Which words more than one thread reaches by a step that threads can be interrupted before.
 *
 * To interrupt a thread before a step on a word of its own is the same as to interrupt it after the
 * step: nothing that others do depends on it (Coons, Musuvathi and McKinley, OOPSLA 2013). So a
 * bounded search for errors need not try it. What each thread reaches is known only after all runs,
 * so it is collected over them. When a word turns out to be shared, the runs with the present bound
 * are made again (search.c).
 *
 * The conductor counts for nothing: it runs before and after all other threads.
 */
#include "explorer.h"

#define WORDS (1u << 16)
#define FIRST_MEMORY ((address)4096) /* subjects below are models' (enum in explorer.h) */

static struct {
    address at;
    uint64_t threads; /* a bit for each that reaches it */
} words[WORDS];
static unsigned n_words;
static bool has_grown;

static bool is_used(void)
{
    return ex_options.skip_private && ex_options.pct_depth == 0 && !ex_reduces() &&
           ex_options.replay == NULL && ex_options.workers == 1;
}

/* NULL: there is no room to remember another one. */
static uint64_t *threads_at(address word)
{
    unsigned at = (unsigned)(ex_mix(word, 5) % WORDS);

    while (words[at].at != 0 && words[at].at != word)
        at = (at + 1) % WORDS;
    if (words[at].at == 0) {
        if (n_words == WORDS / 2)
            return NULL;
        n_words++;
        words[at].at = word;
    }
    return &words[at].threads;
}

void ex_reached_note(const struct thread *thread, const struct operation *operation)
{
    if (!is_used() || operation->at < FIRST_MEMORY || thread->number == ex_conductor)
        return;
    for (address word = operation->at & ~(address)7; word < operation->at + operation->size;
         word += 8) {
        uint64_t *threads = threads_at(word), mine = (uint64_t)1 << thread->number;

        if (threads != NULL && (*threads & mine) == 0) {
            has_grown = has_grown || *threads != 0;
            *threads |= mine;
        }
    }
}

bool ex_reached_by_one(const struct operation *operation)
{
    if (!is_used() || operation->at < FIRST_MEMORY || operation->ready != NULL)
        return false;
    for (address word = operation->at & ~(address)7; word < operation->at + operation->size;
         word += 8) {
        const uint64_t *threads = threads_at(word);

        if (threads == NULL || (*threads & (*threads - 1)) != 0)
            return false;
    }
    return true;
}

bool ex_reached_has_grown(void)
{
    bool grown = has_grown;

    has_grown = false;
    return grown;
}
