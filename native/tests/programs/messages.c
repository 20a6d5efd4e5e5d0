/* SPDX-License-Identifier: MIT */
/* Runs the operations that the file $OPERATIONS lists, each with its memory order, and adds to the
 * file $STATES what came of a run: one line with the words' last values, then all that was read. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST 8

struct operation {
    int what, word, value, order;
};

static _Atomic int words[3];
static struct operation operations[4][MOST];
static int lengths[4], seen[4][MOST];

void locklab_setup(void)
{
    int values[4 * MOST * 4 + 4], *at = values;
    int file = open(getenv("OPERATIONS"), O_RDONLY);

    (void)!read(file, values, sizeof(values));
    close(file);
    for (int i = 0; i < locklab_threads(); i++) {
        lengths[i] = *at++;
        for (int j = 0; j < lengths[i]; j++, at += 4)
            operations[i][j] = (struct operation){at[0], at[1], at[2], at[3]};
    }
}

/* An order that is no constant would be taken for SEQ_CST. */
#define READING(order)                                                                             \
    switch (one->what) {                                                                           \
    case 0:                                                                                        \
        return atomic_load_explicit(word, order);                                                  \
    }
#define WRITING(order)                                                                             \
    switch (one->what) {                                                                           \
    case 1:                                                                                        \
        atomic_store_explicit(word, one->value, order);                                            \
        return 0;                                                                                  \
    }
#define UPDATING(order, failure)                                                                   \
    switch (one->what) {                                                                           \
    case 2:                                                                                        \
        return atomic_exchange_explicit(word, one->value, order);                                  \
    case 3:                                                                                        \
        return atomic_fetch_add_explicit(word, one->value, order);                                 \
    case 4:                                                                                        \
        atomic_compare_exchange_strong_explicit(word, &expected, one->value, order, failure);      \
        return expected;                                                                           \
    case 5:                                                                                        \
        atomic_thread_fence(order);                                                                \
        return 0;                                                                                  \
    }

static int do_one(const struct operation *one)
{
    _Atomic int *word = &words[one->word];
    int expected = 0;

    switch (one->order) {
    case 0:
        READING(memory_order_relaxed)
        WRITING(memory_order_relaxed)
        UPDATING(memory_order_relaxed, memory_order_relaxed)
        break;
    case 1:
        READING(memory_order_acquire)
        UPDATING(memory_order_acquire, memory_order_acquire)
        break;
    case 2:
        WRITING(memory_order_release)
        UPDATING(memory_order_release, memory_order_relaxed)
        break;
    case 3:
        UPDATING(memory_order_acq_rel, memory_order_acquire)
        break;
    case 4:
        READING(memory_order_seq_cst)
        WRITING(memory_order_seq_cst)
        UPDATING(memory_order_seq_cst, memory_order_seq_cst)
        break;
    }
    return 0;
}

void locklab_thread(int me)
{
    for (int i = 0; i < lengths[me]; i++)
        seen[me][i] = do_one(&operations[me][i]);
}

void locklab_check(void)
{
    int file = open(getenv("STATES"), O_WRONLY | O_APPEND);

    for (int i = 0; i < 3; i++)
        dprintf(file, "%d ", words[i]);
    for (int i = 0; i < locklab_threads(); i++)
        for (int j = 0; j < lengths[i]; j++)
            if (operations[i][j].what != 1 && operations[i][j].what != 5)
                dprintf(file, "%d ", seen[i][j]);
    dprintf(file, "\n");
    close(file);
}
