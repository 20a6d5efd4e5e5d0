/* SPDX-License-Identifier: MIT */
/* Accesses beyond a variable, each in a case of its own; case 0 has none. */
#include <stdlib.h>

static int first[4], second[4];
static int given[2] = {1, 2}, other = 3;
static char text[3];

static int get(const int *from, int i)
{
    return from[i];
}

int main(void)
{
    int local[4] = {0}, i = 4, got = 0;
    int *block = malloc(40), *next = malloc(40);

    first[3] = second[3] = given[1] = other = local[3] = block[9] = next[9] = text[2] = 0;
    switch (CASE) {
    case 1:
        got = get(first, 4);
        break;
    case 2:
        got = get(given, -1);
        break;
    case 3:
        text[i] = 1;
        break;
    case 4:
        local[i] = 1;
        break;
    case 5:
        got = get((int *)(void *)text, 0);
        break;
    case 6:
        block[24] = 1;
        break;
    }
    free(block);
    free(next);
    return got;
}
