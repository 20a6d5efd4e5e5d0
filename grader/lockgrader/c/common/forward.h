/* SPDX-License-Identifier: MIT */
/*
 * A lock after some thousand million uses, without the time that they take: a number of 32 bits is about
 * to wrap there, and what compares two numbers by their size goes wrong.
 *
 * PERIOD uses by one thread change each word of the submission's statics by some amount. If the next
 * PERIOD change each by the same, the statics can be moved on as if many more uses had been made. This
 * may not lead past the end of a number that the code ends in its own way (a mask, two numbers in one
 * word). So for each n, from small ones on, the statics move to just before the next wrap of the lowest
 * n bits, and the submission itself makes the uses that cross it. If these change the statics in another
 * way, that was an end, and the statics go back to just before it. So all that is left is reached by
 * uses.
 *
 * A submission is left as it is if its statics change unevenly, or some words faster than others by
 * what is not a power of two (their wraps would not meet), or if it uses the heap.
 */
#ifndef LOCKLAB_FORWARD_H
#define LOCKLAB_FORWARD_H

#include "worn.h"

enum { PERIOD = 8, CROSSING = 4, MOST_WORDS = 512, WORD_BITS = 32 };

#define SECTION(name)                                                                              \
    extern volatile uint32_t __start_##name[] __attribute__((weak)),                               \
        __stop_##name[] __attribute__((weak));
SECTION(submission_data)
SECTION(submission_bss)

struct statics {
    unsigned n;
    uint32_t words[MOST_WORDS];
};

/* The k-th word; NULL behind the last one. */
UNSEEN volatile uint32_t *static_word(unsigned k)
{
    const unsigned first = (unsigned)(__stop_submission_data - __start_submission_data);
    const unsigned second = (unsigned)(__stop_submission_bss - __start_submission_bss);

    if (k < first)
        return __start_submission_data + k;
    return k - first < second ? __start_submission_bss + (k - first) : NULL;
}

UNSEEN void statics_keep(struct statics *kept)
{
    volatile uint32_t *word;

    for (kept->n = 0; kept->n < MOST_WORDS && (word = static_word(kept->n)) != NULL; kept->n++)
        kept->words[kept->n] = *word;
}

/* The statics become what they were, plus so many times the step. */
UNSEEN void statics_move(const struct statics *from, const struct statics *step, uint32_t times)
{
    for (unsigned k = 0; k < from->n; k++)
        *static_word(k) = from->words[k] + times * step->words[k];
}

UNSEEN void use_once(void (*use)(int me))
{
    BY(0, use);
    worn.uses++;
}

/* Makes a period. Does it add the same as the one before? What it adds is kept. */
UNSEEN bool is_even(struct statics *step, void (*use)(int me))
{
    struct statics before;
    bool even = true;

    statics_keep(&before);
    for (unsigned i = 0; i < PERIOD; i++)
        use_once(use);
    for (unsigned k = 0; k < before.n; k++) {
        uint32_t added = *static_word(k) - before.words[k];

        even = even && added == step->words[k];
        step->words[k] = added;
    }
    return even;
}

UNSEEN uint32_t size_of(uint32_t added)
{
    return added < -added ? added : -added;
}

/* The word that changes fastest, if each other one changes as fast up to a power of two. */
UNSEEN volatile uint32_t *fastest(const struct statics *step, uint32_t *added)
{
    volatile uint32_t *found = NULL;

    *added = 0;
    for (unsigned k = 0; k < step->n; k++)
        if (size_of(step->words[k]) > size_of(*added)) {
            *added = step->words[k];
            found = static_word(k);
        }
    for (unsigned k = 0; k < step->n; k++) {
        uint32_t size = size_of(step->words[k]);

        while (size != 0 && size < size_of(*added))
            size *= 2;
        if (size != 0 && size != size_of(*added))
            return NULL;
    }
    return found;
}

UNSEEN void forward(void (*use)(int me))
{
    struct statics step, kept;
    volatile uint32_t *word;
    uint32_t added, left = 0, rate = 0;
    unsigned uses;
    bool even = true;

    statics_keep(&step);
    if (step.n == MOST_WORDS || locklab_blocks() != 0)
        return;
    is_even(&step, use);
    if (!is_even(&step, use) || (word = fastest(&step, &added)) == NULL)
        return;
#define LEFT(low) ((added == size_of(added) ? ~*word : *word) & (low)) /* until the lowest bits wrap */
    statics_keep(&kept);
    uses = worn.uses;
    for (unsigned bits = 1; even && bits <= WORD_BITS; bits++) {
        const uint32_t low = UINT32_MAX >> (WORD_BITS - bits), bit_rate = size_of(added) & low;
        uint32_t times;

        if (bit_rate == 0 || low / bit_rate <= 2 * CROSSING || LEFT(low) / bit_rate == 0)
            continue;
        rate = bit_rate;
        left = low;
        times = LEFT(low) / rate - 1;
        statics_keep(&kept);
        statics_move(&kept, &step, times);
        statics_keep(&kept);
        uses = worn.batch = worn.uses += PERIOD * times;
        for (unsigned i = 0; even && i < CROSSING; i++)
            even = is_even(&step, use);
    }
    statics_move(&kept, &step, 0);
    worn.uses = worn.batch = uses;
    for (unsigned i = 0; i < 2 * PERIOD && LEFT(left) > rate / PERIOD; i++)
        use_once(use);
#undef LEFT
}

#endif
