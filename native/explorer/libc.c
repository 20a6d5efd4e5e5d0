/* SPDX-License-Identifier: MIT */
/*
 * The functions of the C library that must not run unseen.
 *
 * Those that get memory get it from heap.c; those that read or write the program's memory tell
 * about it; those that print do so only when one run is replayed, as otherwise the output of a
 * million runs would mix; those that end the program end the run. Functions of registers only
 * (sqrt, abs, …) need nothing. Any other is called as it is: what it does to memory is not seen.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "explorer.h"
#include "include/locklab/explore.h"

#define ENTRY(name) ex_do_##name

void *ENTRY(memmove)(void *to, const void *from, size_t size);
void *ENTRY(memset)(void *to, int byte, size_t size);

static void enter(void)
{
    ex_settle();
    ex_self->pc = ex_door.pc;
}

static size_t reads_string(const char *text)
{
    size_t size = strlen(text);

    ex_plain((address)text, size + 1, false);
    return size;
}

/* memory */

void *ENTRY(malloc)(size_t size)
{
    enter();
    return ex_allocate(size, 0);
}

void *ENTRY(calloc)(size_t count, size_t size)
{
    void *block;

    enter();
    block = ex_allocate(count * size, 0);
    memset(block, 0, count * size);
    return block;
}

void *ENTRY(aligned_alloc)(size_t alignment, size_t size)
{
    enter();
    return ex_allocate(size, alignment);
}

void *ENTRY(memalign)(size_t alignment, size_t size)
{
    enter();
    return ex_allocate(size, alignment);
}

int ENTRY(posix_memalign)(void **block, size_t alignment, size_t size)
{
    void *made;

    enter();
    made = ex_allocate(size, alignment);
    ex_access((address)block, sizeof(made), WRITES);
    ex_memory_write((address)block, &made, sizeof(made));
    return 0;
}

void ENTRY(free)(void *block)
{
    enter();
    ex_release_block(block);
}

void *ENTRY(realloc)(void *block, size_t size)
{
    size_t old = ex_block_size(block);
    void *made;

    enter();
    made = ex_allocate(size, 0);
    if (block != NULL) {
        ENTRY(memmove)(made, block, old < size ? old : size);
        ex_settle();
        ex_release_block(block);
    }
    return made;
}

size_t ENTRY(malloc_usable_size)(void *block)
{
    return ex_block_size(block);
}

char *ENTRY(strdup)(const char *text)
{
    size_t size = reads_string(text) + 1;
    char *made = ex_allocate(size, 0);

    return ENTRY(memmove)(made, text, size);
}

/* strings */

int ENTRY(memcmp)(const void *a, const void *b, size_t size)
{
    ex_plain((address)a, size, false);
    ex_plain((address)b, size, false);
    return memcmp(a, b, size);
}

size_t ENTRY(strlen)(const char *text)
{
    return reads_string(text);
}

int ENTRY(strcmp)(const char *a, const char *b)
{
    reads_string(a);
    reads_string(b);
    return strcmp(a, b);
}

char *ENTRY(strcpy)(char *to, const char *from)
{
    return ENTRY(memmove)(to, from, strlen(from) + 1);
}

char *ENTRY(strncpy)(char *to, const char *from, size_t size)
{
    reads_string(from);
    ex_plain((address)to, size, true);
    return strncpy(to, from, size);
}

/* output */

static int print(const char *format, va_list arguments)
{
    enter();
    return ex_options.replay != NULL ? vfprintf(stderr, format, arguments) : 0;
}

int ENTRY(vprintf)(const char *format, va_list arguments)
{
    return print(format, arguments);
}

int ENTRY(vfprintf)(FILE *file, const char *format, va_list arguments)
{
    (void)file;
    return print(format, arguments);
}

int ENTRY(printf)(const char *format, ...)
{
    va_list arguments;
    int printed;

    va_start(arguments, format);
    printed = print(format, arguments);
    va_end(arguments);
    return printed;
}

int ENTRY(fprintf)(FILE *file, const char *format, ...)
{
    va_list arguments;
    int printed;

    (void)file;
    va_start(arguments, format);
    printed = print(format, arguments);
    va_end(arguments);
    return printed;
}

int ENTRY(puts)(const char *text)
{
    return ENTRY(printf)("%s\n", text);
}

int ENTRY(fputs)(const char *text, FILE *file)
{
    (void)file;
    return ENTRY(printf)("%s", text);
}

int ENTRY(putchar)(int character)
{
    return ENTRY(printf)("%c", character);
}

int ENTRY(putc)(int character, FILE *file)
{
    (void)file;
    return ENTRY(printf)("%c", character);
}

int ENTRY(fputc)(int character, FILE *file)
{
    (void)file;
    return ENTRY(printf)("%c", character);
}

size_t ENTRY(fwrite)(const void *from, size_t size, size_t count, FILE *file)
{
    (void)file;
    ENTRY(printf)("%.*s", (int)(size * count), (const char *)from);
    return count;
}

void ENTRY(perror)(const char *text)
{
    ENTRY(printf)("%s\n", text);
}

int ENTRY(fflush)(FILE *file)
{
    (void)file;
    return 0;
}

/* the end */

void ENTRY(abort)(void)
{
    enter();
    ex_fail("assertion", "thread %d calls abort() at {pc:%zx}", ex_self->number, ex_self->pc);
}

void ENTRY(exit)(int status)
{
    enter();
    if (status != 0)
        ex_fail("assertion", "thread %d calls exit(%d) at {pc:%zx}", ex_self->number, status,
                ex_self->pc);
    ex_end_run();
}

void ENTRY(_exit)(int status)
{
    ENTRY(exit)(status);
}

void ENTRY(__assert_fail)(const char *condition, const char *file, unsigned line,
                          const char *function)
{
    const char *slash = strrchr(file, '/');

    (void)function;
    enter();
    ex_fail("assertion", "thread %d finds %s false at %s:%u", ex_self->number, condition,
            slash != NULL ? slash + 1 : file, line);
}

void ENTRY(locklab_assertion_failed)(const char *condition, const char *file, unsigned line)
{
    ENTRY(__assert_fail)(condition, file, line, NULL);
}

/* random numbers: a program's, the same in every run */

static uint64_t random_number;

void ex_libc_begin(void)
{
    random_number = 0;
}

int ENTRY(rand)(void)
{
    return (int)(ex_mix(random_number++, 7) & 0x7fffffff);
}

long ENTRY(random)(void)
{
    return ENTRY(rand)();
}

void ENTRY(srand)(unsigned seed)
{
    random_number = seed;
}

void ENTRY(srandom)(unsigned seed)
{
    random_number = seed;
}

/* locklab/explore.h */

unsigned long ENTRY(locklab_writes)(void)
{
    enter();
    return ex_self->writes;
}

int ENTRY(locklab_threads)(void)
{
    return ex_options.threads;
}

void ENTRY(locklab_mark)(const char *what)
{
    ex_step_mark(what);
}

unsigned ENTRY(locklab_any)(unsigned n)
{
    struct choice choices[36];
    unsigned chosen;

    enter();
    if (n == 0 || n > 36)
        ex_give_up("locklab_any(%u): from 1 to 36 numbers can be tried", n);
    for (unsigned i = 0; i < n; i++)
        choices[i] = (struct choice){-1, 0};
    chosen = ex_choose(choices, n);
    ex_forget_visits();
    ex_step("any", 0, 0, n, chosen);
    return chosen;
}
