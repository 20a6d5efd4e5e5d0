/* SPDX-License-Identifier: MIT */
/*
 * The functions of the C library that must not run unseen.
 *
 * Those that get memory get it from heap.c; those that read or write the program's memory tell
 * about it; those that print do so only when one run is replayed, as otherwise the output of a
 * million runs would mix. Functions of registers only (sqrt, abs, …) need nothing. A program that
 * calls any other is refused (locknative.explorer.library).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "explorer.h"
#include "include/locklab/explore.h"

#define ENTRY(name) ex_do_##name

void *ENTRY(memmove)(void *to, const void *from, size_t size);
void *ENTRY(memset)(void *to, int byte, size_t size);

/* memory */

static void *allocate(size_t size, size_t alignment)
{
    if (!ex_happens(ALLOCATION, ex_options.malloc_fails))
        return ex_allocate(size, alignment);
    ex_step("fails to allocate", 0, (unsigned)size, 0, 0);
    ex_self->error = ENOMEM;
    return NULL;
}

void *ENTRY(malloc)(size_t size)
{
    ex_note_caller();
    return allocate(size, 0);
}

void *ENTRY(calloc)(size_t count, size_t size)
{
    void *block;
    size_t bytes;

    ex_note_caller();
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX;
    block = allocate(bytes, 0);
    if (block != NULL)
        memset(block, 0, bytes);
    return block;
}

void *ENTRY(aligned_alloc)(size_t alignment, size_t size)
{
    ex_note_caller();
    return allocate(size, alignment);
}

void *ENTRY(memalign)(size_t alignment, size_t size)
{
    ex_note_caller();
    return allocate(size, alignment);
}

int ENTRY(posix_memalign)(void **block, size_t alignment, size_t size)
{
    void *made;

    ex_note_caller();
    made = allocate(size, alignment);
    if (made == NULL)
        return ENOMEM;
    ex_plain_write((address)block, &made, sizeof(made));
    return 0;
}

void ENTRY(free)(void *block)
{
    ex_note_caller();
    ex_release_block(block);
}

void *ENTRY(realloc)(void *block, size_t size)
{
    size_t old = ex_block_size(block);
    void *made;

    ex_note_caller();
    made = allocate(size, 0);
    if (made != NULL && block != NULL) {
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

/* Pages are a block like any other. */

#define PAGE 4096

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

void *ENTRY(mmap)(void *wanted, size_t size, int protection, int flags, int file, off_t offset)
{
    void *block;

    (void)wanted, (void)protection, (void)file, (void)offset;
    ex_note_caller();
    if (!(flags & MAP_ANONYMOUS) || (flags & MAP_FIXED))
        ex_give_up("thread %d calls mmap() at {pc:%zx} for a file or a fixed address: the explorer "
                   "supports anonymous memory only",
                   ex_self->number, ex_self->pc);
    block = allocate(whole_pages(size), PAGE);
    if (block == NULL)
        return MAP_FAILED;
    memset(block, 0, whole_pages(size));
    return block;
}

int ENTRY(munmap)(void *block, size_t size)
{
    ex_note_caller();
    if (ex_block_size(block) != whole_pages(size))
        ex_give_up("thread %d calls munmap() at {pc:%zx} for other than all that an mmap() gave: the "
                   "explorer does not support this",
                   ex_self->number, ex_self->pc);
    ex_release_block(block);
    return 0;
}

static char *copy_of(const char *text, size_t length)
{
    char *made;

    ex_note_caller();
    made = allocate(length + 1, 0);
    if (made != NULL) {
        ENTRY(memmove)(made, text, length);
        ENTRY(memset)(made + length, 0, 1);
    }
    return made;
}

char *ENTRY(strdup)(const char *text)
{
    return copy_of(text, ex_reads_string(text));
}

char *ENTRY(strndup)(const char *text, size_t most)
{
    return copy_of(text, ex_reads_at_most(text, most));
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
        ex_reads_at_most(va_arg(*arguments, const char *), precision >= 0 ? (size_t)precision : INT_MAX);
    else if (*at != '\0' && strchr("aAeEfFgG", *at) != NULL && longs >= 8)
        (void)va_arg(*arguments, long double);
    else if (*at != '\0' && strchr("aAeEfFgG", *at) != NULL)
        (void)va_arg(*arguments, double);
    else if (*at != '\0' && strchr("diouxXc", *at) != NULL && longs == 0)
        (void)va_arg(*arguments, int);
    else if (*at == 'n')
        ex_plain((address)va_arg(*arguments, void *), longs > 0 ? sizeof(long) : sizeof(int), true);
    else if (*at != '%' && *at != 'm' && *at != '\0')
        (void)va_arg(*arguments, long);
    return *at == '\0' ? at : at + 1;
}

static void reads_format(const char *format, va_list arguments)
{
    va_list left;

    va_copy(left, arguments);
    ex_reads_string(format);
    for (const char *at = strchr(format, '%'); at != NULL; at = strchr(at, '%'))
        at = reads_conversion(at + 1, &left);
    va_end(left);
}

int ENTRY(vsnprintf)(char *to, size_t size, const char *format, va_list arguments)
{
    va_list again;
    int length;

    ex_note_caller();
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
    ex_note_caller();
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

/* Files are those of the machine, and are not put back between two runs. */

static bool is_shown(int file)
{
    return file > STDERR_FILENO || ex_options.replay != NULL;
}

int ENTRY(open)(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode = 0;

    ex_reads_string(path);
    va_start(arguments, flags);
    if (flags & O_CREAT)
        mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return open(path, flags, mode);
}

ssize_t ENTRY(read)(int file, void *to, size_t size)
{
    ssize_t got;

    ex_note_caller();
    ex_plain((address)to, size, true);
    got = read(file, to, size);
    ex_settle();
    return got;
}

ssize_t ENTRY(write)(int file, const void *from, size_t size)
{
    ex_note_caller();
    ex_plain((address)from, size, false);
    return is_shown(file) ? write(file, from, size) : (ssize_t)size;
}

int ENTRY(dprintf)(int file, const char *format, ...)
{
    va_list arguments;
    int printed;

    ex_note_caller();
    va_start(arguments, format);
    reads_format(format, arguments);
    printed = is_shown(file) ? vdprintf(file, format, arguments) : 0;
    va_end(arguments);
    return printed;
}

int ENTRY(fflush)(FILE *file)
{
    (void)file;
    return 0;
}

/* time: that of this machine */

int ENTRY(clock_gettime)(clockid_t clock, struct timespec *now)
{
    struct timespec found = {0};
    int result = clock_gettime(clock, &found);

    ex_note_caller();
    ex_plain_write((address)now, &found, sizeof(found));
    return result;
}

int ENTRY(gettimeofday)(struct timeval *restrict now, void *restrict zone)
{
    struct timeval found = {0};

    (void)zone;
    gettimeofday(&found, NULL);
    ex_note_caller();
    ex_plain_write((address)now, &found, sizeof(found));
    return 0;
}

time_t ENTRY(time)(time_t *now)
{
    time_t found = time(NULL);

    ex_note_caller();
    if (now != NULL)
        ex_plain_write((address)now, &found, sizeof(found));
    return found;
}

/* One of n numbers, each in a run of its own. */
static unsigned any(unsigned n)
{
    unsigned chosen = ex_choose(n, 0);

    ex_spins_add_choice();
    ex_step("any", 0, 0, n, chosen);
    return chosen;
}

/* A thread keeps its CPU. Its NUMA node is one of two, in every way. */
int ENTRY(getcpu)(unsigned *cpu, unsigned *node)
{
    unsigned found;

    ex_note_caller();
    if (ex_self->node == 0)
        ex_self->node = 1 + any(2);
    found = (unsigned)ex_self->number;
    if (cpu != NULL)
        ex_plain_write((address)cpu, &found, sizeof(found));
    found = ex_self->node - 1;
    if (node != NULL)
        ex_plain_write((address)node, &found, sizeof(found));
    return 0;
}

/* locklab/explore.h */

void ENTRY(__assert_fail)(const char *condition, const char *file, unsigned line,
                          const char *function);

void ENTRY(locklab_assertion_failed)(const char *condition, const char *file, unsigned line)
{
    ENTRY(__assert_fail)(condition, file, line, NULL);
}

void ENTRY(locklab_as)(int me, void (*function)(int me))
{
    ex_note_caller();
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
    ex_note_caller();
    ex_alone(on != 0);
}

void ENTRY(locklab_ahead)(int on)
{
    ex_note_caller();
    ex_ahead(on != 0);
}

int ENTRY(locklab_waited)(void)
{
    ex_note_caller();
    return ex_ahead_has_waited();
}

void ENTRY(locklab_fail)(const char *why)
{
    ex_note_caller();
    ex_fail("assertion", "%s", why);
}

void ENTRY(locklab_fail_to_read)(const char *why)
{
    ex_note_caller();
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

unsigned long ENTRY(locklab_writes)(void)
{
    ex_note_caller();
    return ex_self->writes;
}

unsigned long ENTRY(locklab_path)(void)
{
    return ex_path();
}

unsigned long ENTRY(locklab_blocks)(void)
{
    ex_note_caller();
    return ex_heap_held(NULL);
}

unsigned long ENTRY(locklab_bytes)(void)
{
    size_t bytes;

    ex_note_caller();
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
    ex_note_caller();
    if (n == 0 || n > 36)
        ex_give_up("locklab_any(%u): from 1 to 36 numbers can be tried", n);
    return any(n);
}

void ENTRY(locklab_assume)(int condition)
{
    ex_note_caller();
    if (!condition)
        ex_vanish();
}
