/* SPDX-License-Identifier: MIT */
/* Functions of the C library. Alone each does what C says; with RACE another thread reads or writes
 * what it works on. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <time.h>

static int numbers[4] = {3, 1, 2, 0};
static char text[] = "12 34x,b";
static char *end;
static struct timespec now;

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

#if CASE == 1
#define SHARED numbers[3] = 0
static void use(void)
{
    qsort(numbers, 4, sizeof(numbers[0]), compare);
#ifndef RACE
    for (int i = 0; i < 4; i++)
        locklab_assert(numbers[i] == i);
#endif
}
#elif CASE == 2
#define SHARED numbers[1] = 1
static void use(void)
{
    int one = 1, *found = bsearch(&one, numbers, 2, sizeof(one), compare);

    locklab_assert(found == NULL || *found == 1);
}
#elif CASE == 3
#define SHARED end = text
static void use(void)
{
    locklab_assert(strtol(text, &end, 10) == 12 && errno == 0);
#ifndef RACE
    locklab_assert(end == text + 2 && atoi(end) == 34 && strtod(text, NULL) == 12.0);
    locklab_assert(strtol("99999999999999999999", NULL, 10) > 0 && errno == ERANGE);
#endif
}
#elif CASE == 4
#define SHARED text[0] = '1'
static void use(void)
{
    char *rest, *first = strtok_r(text, " ,", &rest);

    locklab_assert(strcmp(first, "12") == 0 && strcmp(strtok_r(NULL, " ,", &rest), "34x") == 0);
}
#elif CASE == 5
#define SHARED text[0] = '1'
static void use(void)
{
    locklab_assert(strspn(text, "0123456789") == 2 && strcasecmp(text, "12 34X,B") == 0);
    locklab_assert(strpbrk(text, "x") == text + 5 && memrchr(text, ',', 8) == text + 6);
}
#elif CASE == 6
#define SHARED now.tv_sec = 0
static void use(void)
{
    clock_gettime(CLOCK_MONOTONIC, &now);
}
#elif CASE == 7 /* pages are zeroed, and gone after munmap() */
static int *page;
#define SHARED page[1]++
static void use(void)
{
    locklab_assert(page[1] == 0);
    munmap(page, 100);
}
#endif

static void *other(void *unused)
{
    SHARED;
    return unused;
}

int main(void)
{
    pthread_t thread;

#if CASE == 7
    page = mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
    (void)compare, (void)now, (void)end;
#ifdef RACE
    pthread_create(&thread, NULL, other, NULL);
    use();
    pthread_join(thread, NULL);
#else
    use();
    (void)thread, (void)other;
#endif
    return 0;
}
