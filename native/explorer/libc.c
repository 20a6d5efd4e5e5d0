/* SPDX-License-Identifier: MIT */
/*
 * The functions of the C library that must not run unseen.
 *
 * Those that get memory get it from heap.c; those that read or write the program's memory tell
 * about it; those that print do so only when one run is replayed, as otherwise the output of a
 * million runs would mix; those that end the program end the run. Functions of registers only
 * (sqrt, abs, …) need nothing. Any other is called as it is: what it does to memory is not seen.
 */
#include <limits.h>
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

static size_t reads_at_most(const char *text, size_t most)
{
    size_t length = strnlen(text, most);

    if (most > 0)
        ex_plain((address)text, length < most ? length + 1 : most, false);
    return length;
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
    ex_plain_write((address)block, &made, sizeof(made));
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

static char *copy_of(const char *text, size_t length)
{
    char *made;

    enter();
    made = ex_allocate(length + 1, 0);
    ENTRY(memmove)(made, text, length);
    ENTRY(memset)(made + length, 0, 1);
    return made;
}

char *ENTRY(strdup)(const char *text)
{
    return copy_of(text, reads_string(text));
}

char *ENTRY(strndup)(const char *text, size_t most)
{
    return copy_of(text, reads_at_most(text, most));
}

/* strings */

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
    return reads_string(text);
}

size_t ENTRY(strnlen)(const char *text, size_t most)
{
    return reads_at_most(text, most);
}

int ENTRY(strcmp)(const char *a, const char *b)
{
    reads_string(a);
    reads_string(b);
    return strcmp(a, b);
}

int ENTRY(strncmp)(const char *a, const char *b, size_t most)
{
    reads_at_most(a, most);
    reads_at_most(b, most);
    return strncmp(a, b, most);
}

char *ENTRY(strchr)(const char *text, int character)
{
    reads_string(text);
    return strchr(text, character);
}

char *ENTRY(strrchr)(const char *text, int character)
{
    reads_string(text);
    return strrchr(text, character);
}

char *ENTRY(strstr)(const char *text, const char *part)
{
    reads_string(text);
    reads_string(part);
    return strstr(text, part);
}

char *ENTRY(strcpy)(char *to, const char *from)
{
    return ENTRY(memmove)(to, from, strlen(from) + 1);
}

char *ENTRY(strncpy)(char *to, const char *from, size_t size)
{
    reads_at_most(from, size);
    ex_plain((address)to, size, true);
    return strncpy(to, from, size);
}

char *ENTRY(strcat)(char *to, const char *from)
{
    ENTRY(memmove)(to + reads_string(to), from, strlen(from) + 1);
    return to;
}

char *ENTRY(strncat)(char *to, const char *from, size_t most)
{
    size_t length = strnlen(from, most);
    char *end = to + reads_string(to);

    ENTRY(memmove)(end, from, length);
    ENTRY(memset)(end + length, 0, 1);
    return to;
}

/* output */

/* The strings that a format reads. Returns behind the conversion that `at` begins with. */
static const char *reads_conversion(const char *at, va_list *arguments)
{
    int precision = -1;
    unsigned longs = 0;

    for (; *at != '\0' && strchr("-+ #0'", *at) != NULL; at++)
        ;
    for (; *at != '\0' && strchr("0123456789.*", *at) != NULL; at++) {
        bool is_precision = *at == '.';

        if (is_precision)
            precision = 0;
        else if (*at == '*' && precision >= 0)
            precision = va_arg(*arguments, int);
        else if (*at == '*')
            (void)va_arg(*arguments, int);
        else if (precision >= 0)
            precision = 10 * precision + (*at - '0');
    }
    for (; *at != '\0' && strchr("hljztL", *at) != NULL; at++)
        longs += *at == 'h' ? 0 : *at == 'L' ? 8 : 1;
    if (*at == 's' && longs == 0)
        reads_at_most(va_arg(*arguments, const char *), precision >= 0 ? (size_t)precision : INT_MAX);
    else if (*at != '\0' && strchr("aAeEfFgG", *at) != NULL && longs >= 8)
        (void)va_arg(*arguments, long double);
    else if (*at != '\0' && strchr("aAeEfFgG", *at) != NULL)
        (void)va_arg(*arguments, double);
    else if (*at != '\0' && strchr("diouxXc", *at) != NULL && longs == 0)
        (void)va_arg(*arguments, int);
    else if (*at != '%' && *at != 'm' && *at != '\0')
        (void)va_arg(*arguments, long);
    return *at == '\0' ? at : at + 1;
}

static void reads_format(const char *format, va_list arguments)
{
    va_list left;

    va_copy(left, arguments);
    reads_string(format);
    for (const char *at = strchr(format, '%'); at != NULL; at = strchr(at, '%'))
        at = reads_conversion(at + 1, &left);
    va_end(left);
}

int ENTRY(vsnprintf)(char *to, size_t size, const char *format, va_list arguments)
{
    va_list again;
    int length;

    enter();
    reads_format(format, arguments);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (size > 0 && length >= 0)
        ex_plain((address)to, (size_t)length < size ? (size_t)length + 1 : size, true);
    return vsnprintf(to, size, format, arguments);
}

int ENTRY(snprintf)(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = ENTRY(vsnprintf)(to, size, format, arguments);
    va_end(arguments);
    return length;
}

int ENTRY(sprintf)(char *to, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = ENTRY(vsnprintf)(to, INT_MAX, format, arguments);
    va_end(arguments);
    return length;
}

static int print(const char *format, va_list arguments)
{
    enter();
    reads_format(format, arguments);
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
    ex_exit();
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

void ENTRY(locklab_as)(int me, void (*function)(int me))
{
    enter();
    if (!ex_is_sole() || ex_self->number != ex_conductor || me < 0 || me >= ex_options.threads)
        ex_give_up("locklab_as(%d): it is for locklab_setup(), before a thread is made, and for "
                   "threads from 0 to %d",
                   me, ex_options.threads - 1);
    ex_as(&ex_threads[me], function);
}

void ENTRY(locklab_context)(const char *words, const unsigned *numbers)
{
    ex_context(words, numbers);
}

void ENTRY(locklab_alone)(int on)
{
    enter();
    ex_alone(on != 0);
}

void ENTRY(locklab_ahead)(int on)
{
    enter();
    ex_ahead(on != 0);
}

int ENTRY(locklab_waited)(void)
{
    enter();
    return ex_ahead_has_waited();
}

void ENTRY(locklab_fail)(const char *why)
{
    enter();
    ex_fail("assertion", "%s", why);
}

void ENTRY(locklab_fail_to_read)(const char *why)
{
    enter();
    ex_fail("assertion", "%s; the last one at {pc:%zx}", why, ex_self->wrote_at);
}

int *ENTRY(__errno_location)(void)
{
    return &ex_self->error;
}

/* Random numbers: each thread has a few, which come again and again, so that a loop that waits a
 * random time comes back to where it was. */

#define RANDOM_NUMBERS 4

static bool drew_numbers;

const char *ex_partial(void)
{
    return drew_numbers ? "rand() gave a few numbers, the same in each run: what others lead to was "
                          "not tried (locklab_any(n) tries all below n)"
                        : "";
}

int ENTRY(rand)(void)
{
    drew_numbers = true;
    ex_self->random = (ex_self->random + 1) % RANDOM_NUMBERS;
    return (int)(ex_mix(ex_self->random, (uint64_t)ex_self->number) & 0x7fffffff);
}

long ENTRY(random)(void)
{
    return ENTRY(rand)();
}

int ENTRY(rand_r)(unsigned *seed)
{
    (void)seed;
    return ENTRY(rand)();
}

void ENTRY(srand)(unsigned seed)
{
    (void)seed;
}

void ENTRY(srandom)(unsigned seed)
{
    (void)seed;
}

/* locklab/explore.h */

unsigned long ENTRY(locklab_writes)(void)
{
    enter();
    return ex_self->writes;
}

unsigned long ENTRY(locklab_path)(void)
{
    return ex_path();
}

unsigned long ENTRY(locklab_blocks)(void)
{
    enter();
    return ex_heap_held(NULL);
}

unsigned long ENTRY(locklab_bytes)(void)
{
    size_t bytes;

    enter();
    ex_heap_held(&bytes);
    return bytes;
}

unsigned long ENTRY(locklab_seed)(void)
{
    return ex_options.seed;
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
    unsigned chosen;

    enter();
    if (n == 0 || n > 36)
        ex_give_up("locklab_any(%u): from 1 to 36 numbers can be tried", n);
    chosen = ex_choose(n, 0);
    ex_spins_add_choice();
    ex_step("any", 0, 0, n, chosen);
    return chosen;
}

void ENTRY(locklab_assume)(int condition)
{
    enter();
    if (!condition)
        ex_vanish();
}
