/* SPDX-License-Identifier: MIT */
/* Division as the language has it: rounds down, and wraps where the quotient has no room. */
#include <stdio.h>

#include "locklab/language.h"

static int wrong;

static void expect(int64_t a, int64_t b, int64_t quotient, int64_t rest)
{
    int64_t divided = locklab_floor_divide(a, b), left = locklab_modulo(a, b);

    if (divided != quotient || left != rest) {
        printf("%lld by %lld: %lld rest %lld\n", (long long)a, (long long)b, (long long)divided,
               (long long)left);
        wrong = 1;
    }
}

int main(void)
{
    /* Read through volatile, so that the compiler does not divide by itself. */
    volatile int64_t least = INT64_MIN, minus_one = -1;

    expect(least, minus_one, INT64_MIN, 0);
    expect(INT64_MAX, minus_one, -INT64_MAX, 0);
    expect(least, 1, INT64_MIN, 0);
    expect(least, 2, INT64_MIN / 2, 0);
    expect(least, least, 1, 0);
    expect(7, minus_one, -7, 0);
    expect(-7, 2, -4, 1);
    expect(7, -2, -4, -1);
    expect(-7, -2, 3, -1);
    expect(6, -2, -3, 0);
    return wrong;
}
