/* SPDX-License-Identifier: MIT */
/*
 * The delay doubles from LOCKLAB_BACKOFF_MIN and never passes LOCKLAB_BACKOFF_MAX.
 *
 * The compare-and-swap is replaced by one that fails ATTEMPTS times, and notes the pauses before it.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ATTEMPTS 12

static unsigned attempts, pauses, delays[ATTEMPTS];

static bool attempt(_Atomic(uint32_t) *word)
{
    (void)word;
    if (attempts > 0)
        delays[attempts - 1] = pauses;
    pauses = 0;
    return attempts++ == ATTEMPTS;
}

#define LOCKLAB_PAUSE() ((void)pauses++)
#undef atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong_explicit(word, old, new, success, failure)                  \
    ((void)(old), attempt(word))
#include "locklab/ttas_backoff.h"

int main(void)
{
    struct locklab_ttas_backoff lock;
    unsigned expected = LOCKLAB_BACKOFF_MIN;

    locklab_ttas_backoff_init(&lock);
    locklab_ttas_backoff_acquire(&lock);
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        if (delays[i] != expected) {
            printf("delay %u: %u pauses, expected %u\n", i, delays[i], expected);
            return 1;
        }
        expected = expected > LOCKLAB_BACKOFF_MAX / 2 ? LOCKLAB_BACKOFF_MAX : 2 * expected;
    }
    return 0;
}
