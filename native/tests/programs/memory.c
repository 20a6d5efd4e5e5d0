/* SPDX-License-Identifier: MIT */
/* What can go wrong with memory, one at a time: BUG. */
#include <stdlib.h>
#include <string.h>

static char *volatile kept; /* what it holds, the compiler does not know */

struct pair {
    int *one;
    struct pair *next;
};

int main(void)
{
    struct pair *list;
    char *block;

    kept = malloc(10);
    block = kept;
    memset(block, 1, 10);
    kept = NULL;
    switch (BUG) {
    case 0: /* none: freed, or reachable through another block */
        list = calloc(1, sizeof(*list));
        list->next = calloc(1, sizeof(*list));
        kept = (char *)list;
        free(block);
        break;
    case 1:
        free(block);
        block[3]++; /* use after free */
        break;
    case 2:
        free(block);
        free(block);
        break;
    case 3:
        ((volatile char *)block)[10] = 1; /* overflow */
        free(block);
        break;
    case 4: /* leak */
        break;
    case 5:
        free(block + 1);
        break;
    case 6:
        free(block);
        *(volatile int *)kept = 1; /* null pointer */
        break;
    }
    return 0;
}
