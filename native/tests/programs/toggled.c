/* SPDX-License-Identifier: MIT */
/*
 * A setup that goes round a loop many times: a word is changed and put back, and one counts the rounds,
 * behind LOOKS loads. Only the counter keeps the loop from being a wait without an end.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "locklab/explore.h"

#define ROUNDS 3000

static atomic_uint toggled, rounds;

/* Leaves nothing of the counter in a register. */
__attribute__((noinline)) static bool is_over(void)
{
    return atomic_fetch_add(&rounds, 1) == ROUNDS;
}

void locklab_setup(void)
{
    do {
        atomic_fetch_xor(&toggled, 1);
        atomic_fetch_xor(&toggled, 1);
        for (int i = 0; i < LOOKS; i++)
            atomic_load(&toggled);
    } while (!is_over());
}

void locklab_thread(int me)
{
    (void)me;
    locklab_assert(atomic_load(&rounds) == ROUNDS + 1);
}
