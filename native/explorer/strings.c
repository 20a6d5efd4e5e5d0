/* SPDX-License-Identifier: MIT */
/*
 * Strings, numbers in strings, and arrays that are sorted or searched: the functions of the C library
 * that read and write the program's memory and nothing else. Each announces what it reads and
 * writes, as the compiler does for the program's own accesses, and then lets the C library do it.
 */
#define _GNU_SOURCE /* memrchr, strchrnul */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "explorer.h"

#define ENTRY(name) ex_do_##name

void *ENTRY(memmove)(void *to, const void *from, size_t size);
void *ENTRY(memset)(void *to, int byte, size_t size);

void ex_note_caller(void)
{
    ex_settle();
    ex_self->pc = ex_door.pc;
}

size_t ex_reads_string(const char *text)
{
    size_t size = strlen(text);

    ex_plain((address)text, size + 1, false);
    return size;
}

size_t ex_reads_at_most(const char *text, size_t most)
{
    size_t length = strnlen(text, most);

    if (most > 0)
        ex_plain((address)text, length < most ? length + 1 : most, false);
    return length;
}

int ENTRY(memcmp)(const void *a, const void *b, size_t size)
{
    ex_plain((address)a, size, false);
    ex_plain((address)b, size, false);
    return memcmp(a, b, size);
}

void *ENTRY(memchr)(const void *from, int byte, size_t size)
{
    char *found = memchr(from, byte, size);

    ex_plain((address)from, found != NULL ? (size_t)(found - (const char *)from) + 1 : size, false);
    return found;
}

size_t ENTRY(strlen)(const char *text)
{
    return ex_reads_string(text);
}

size_t ENTRY(strnlen)(const char *text, size_t most)
{
    return ex_reads_at_most(text, most);
}

#define IN_STRING(name)                                                                            \
    char *ENTRY(name)(const char *text, int character)                                             \
    {                                                                                              \
        ex_reads_string(text);                                                                     \
        return name(text, character);                                                              \
    }
#define OF_TWO(type, name)                                                                         \
    type ENTRY(name)(const char *a, const char *b)                                                 \
    {                                                                                              \
        ex_reads_string(a);                                                                        \
        ex_reads_string(b);                                                                        \
        return name(a, b);                                                                         \
    }
#define OF_TWO_AT_MOST(name)                                                                       \
    int ENTRY(name)(const char *a, const char *b, size_t most)                                     \
    {                                                                                              \
        ex_reads_at_most(a, most);                                                                 \
        ex_reads_at_most(b, most);                                                                 \
        return name(a, b, most);                                                                   \
    }

IN_STRING(strchr)
IN_STRING(strrchr)
IN_STRING(strchrnul)
OF_TWO(int, strcmp)
OF_TWO(int, strcasecmp)
OF_TWO(size_t, strspn)
OF_TWO(size_t, strcspn)
OF_TWO(char *, strstr)
OF_TWO(char *, strpbrk)
OF_TWO_AT_MOST(strncmp)
OF_TWO_AT_MOST(strncasecmp)

char *ENTRY(strcpy)(char *to, const char *from)
{
    return ENTRY(memmove)(to, from, strlen(from) + 1);
}

char *ENTRY(strncpy)(char *to, const char *from, size_t size)
{
    ex_reads_at_most(from, size);
    ex_plain((address)to, size, true);
    return strncpy(to, from, size);
}

char *ENTRY(strcat)(char *to, const char *from)
{
    ENTRY(memmove)(to + ex_reads_string(to), from, strlen(from) + 1);
    return to;
}

char *ENTRY(strncat)(char *to, const char *from, size_t most)
{
    size_t length = strnlen(from, most);
    char *end = to + ex_reads_string(to);

    ENTRY(memmove)(end, from, length);
    ENTRY(memset)(end + length, 0, 1);
    return to;
}

void *ENTRY(memrchr)(const void *from, int byte, size_t size)
{
    ex_plain((address)from, size, false);
    return memrchr(from, byte, size);
}

void *ENTRY(mempcpy)(void *to, const void *from, size_t size)
{
    return (char *)ENTRY(memmove)(to, from, size) + size;
}

void ENTRY(bzero)(void *at, size_t size)
{
    ENTRY(memset)(at, 0, size);
}

char *ENTRY(stpcpy)(char *to, const char *from)
{
    size_t length = strlen(from);

    ENTRY(memmove)(to, from, length + 1);
    return to + length;
}

char *ENTRY(strtok_r)(char *text, const char *separators, char **rest)
{
    char *next;

    if (text == NULL) {
        ex_plain((address)rest, sizeof(*rest), false);
        text = *rest;
    }
    ex_reads_string(separators);
    ex_reads_string(text);
    text += strspn(text, separators);
    next = text + strcspn(text, separators);
    if (*next != '\0')
        ENTRY(memset)(next++, '\0', 1);
    ex_plain_write((address)rest, &next, sizeof(next));
    return next > text ? text : NULL;
}

/* numbers */

/* A number is read to its end. The C library's errno is the process's, the program's the thread's. */
static void reads_number(const char *text, const char *behind, char **end)
{
    const char *read = behind > text ? behind : text;

    ex_note_caller();
    ex_plain((address)text, (size_t)(read - text) + 1, false);
    if (end != NULL)
        ex_plain_write((address)end, &behind, sizeof(behind));
    if (errno != 0)
        ex_self->error = errno;
}

#define NUMBER(type, name, function, ...)                                                          \
    type ENTRY(name)(const char *text, char **end, ##__VA_ARGS__)                                  \
    {                                                                                              \
        char *behind;                                                                              \
        type found;                                                                                \
                                                                                                   \
        errno = 0;                                                                                 \
        found = function;                                                                          \
        reads_number(text, behind, end);                                                           \
        return found;                                                                              \
    }
#define INTEGER(type, name)                                                                        \
    NUMBER(type, name, name(text, &behind, base), int base)                                        \
    NUMBER(type, __isoc23_##name, name(text, &behind, base), int base)

INTEGER(long, strtol)
INTEGER(long long, strtoll)
INTEGER(unsigned long, strtoul)
INTEGER(unsigned long long, strtoull)
NUMBER(float, strtof, strtof(text, &behind))
NUMBER(double, strtod, strtod(text, &behind))

int ENTRY(atoi)(const char *text)
{
    return (int)ENTRY(strtol)(text, NULL, 10);
}

long ENTRY(atol)(const char *text)
{
    return ENTRY(strtol)(text, NULL, 10);
}

long long ENTRY(atoll)(const char *text)
{
    return ENTRY(strtoll)(text, NULL, 10);
}

double ENTRY(atof)(const char *text)
{
    return ENTRY(strtod)(text, NULL);
}

/* arrays */

typedef int order_of(const void *a, const void *b);

/* How many elements of a sorted array are not greater than a key. */
static size_t rank(const void *key, const char *first, size_t count, size_t size, order_of *compare)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (compare(key, first + middle * size) >= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By insertion: the program's function compares elements where they lie, as C asks, and
 * is the only one to interrupt. The accesses of the others are one read and one write of it all. */
void ENTRY(qsort)(void *array, size_t count, size_t size, order_of *compare)
{
    char *first = array;

    ex_note_caller();
    if (count * size == 0)
        return;
    ex_plain((address)array, count * size, false);
    for (size_t i = 1; i < count; i++) {
        char *at = first + i * size;
        size_t place = rank(at, first, i, size, compare);

        if (place < i) {
            char *to = first + place * size;

            ex_plain((address)to, (i + 1 - place) * size, true);
            for (size_t j = 0; j < size; j++, to++) {
                char moved = at[j];

                for (char *k = at + j; k > to; k -= size)
                    *k = k[-(ptrdiff_t)size];
                *to = moved;
            }
            ex_settle();
        }
    }
}

void *ENTRY(bsearch)(const void *key, const void *array, size_t count, size_t size,
                     order_of *compare)
{
    size_t place;
    const char *at;

    ex_note_caller();
    place = rank(key, array, count, size, compare);
    if (place == 0)
        return NULL;
    at = (const char *)array + (place - 1) * size;
    return compare(key, at) == 0 ? (void *)(uintptr_t)at : NULL;
}
