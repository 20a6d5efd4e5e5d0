/* Watches every access of accesses.c to its object, by protecting the page that holds it, and checks
 * that what was announced covers it. Prints the forms for which this is not so. x86-64. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096, STEP = 1 << 8, WRITES = 2, MOST = 64 };

extern char __executable_start[], etext[];
void locklab_setup(void);
void locklab_thread(int me);
void locklab_check(void);

struct range { uintptr_t at; size_t size; bool writes; };

static struct range open_[MOST];
static unsigned n_open, seed, wrong, seen;
static char *page;

static void announce(const void *at, size_t size, bool writes)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < n_open; i++) /* a write must follow directly */
        if (!open_[i].writes)
            open_[kept++] = open_[i];
    n_open = kept % MOST;
    open_[n_open++] = (struct range){(uintptr_t)at, size, writes};
}

static bool is_announced(uintptr_t at, bool writes)
{
    for (unsigned i = 0; i < n_open; i++)
        if (at - open_[i].at < open_[i].size && (open_[i].writes || !writes))
            return true;
    return false;
}

static void on_access(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)info->si_addr, pc = (uintptr_t)registers[REG_RIP];

    (void)signal;
    if (at - (uintptr_t)page >= PAGE)
        _Exit(3);
    if (pc >= (uintptr_t)__executable_start && pc < (uintptr_t)etext) { /* not the C library's */
        seen++;
        if (!is_announced(at, registers[REG_ERR] & WRITES) && wrong != seed) {
            wrong = seed;
            printf("%u\n", seed / 3);
        }
    }
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    registers[REG_EFL] |= STEP;
}

static void on_step(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    mprotect(page, PAGE, PROT_NONE);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)STEP;
}

#define PLAIN(name, size, writes)                                                                  \
    void __tsan_##name##size(void *at)                                                             \
    {                                                                                              \
        announce(at, size, writes);                                                                \
    }
#define PLAINS(size)                                                                               \
    PLAIN(read, size, false)                                                                       \
    PLAIN(write, size, true)                                                                       \
    PLAIN(unaligned_read, size, false)                                                             \
    PLAIN(unaligned_write, size, true)
PLAINS(1)
PLAINS(2)
PLAINS(4)
PLAINS(8)
PLAINS(16)

#define RANGE(name, writes)                                                                        \
    void name(void *at, size_t size)                                                               \
    {                                                                                              \
        announce(at, size, writes);                                                                \
    }
RANGE(__tsan_read_range, false)
RANGE(__tsan_write_range, true)
RANGE(ex_do_read_range, false) /* behind the doors of machine.S */
RANGE(ex_do_write_range, true)
struct { uint64_t at[13]; } ex_door;

void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc)
{
    (void)pc;
    n_open = 0;
}

void __tsan_func_exit(void)
{
    n_open = 0;
}

unsigned long locklab_seed(void)
{
    return seed;
}

void locklab_assertion_failed(const char *condition, const char *file, unsigned line)
{
    printf("form %u: %s:%u: %s\n", seed / 3, file, line, condition);
}

void *watched_malloc(size_t size)
{
    return size < PAGE - 64 ? page + 64 : NULL;
}

void watched_free(void *block)
{
    (void)block;
}

int main(int n, char **arguments)
{
    struct sigaction access = {.sa_sigaction = on_access, .sa_flags = SA_SIGINFO},
                     step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};

    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &access, NULL);
    sigaction(SIGTRAP, &step, NULL);
    for (int form = 0; n == 2 && form < atoi(arguments[1]); form++) {
        seed = 3 * (unsigned)form + 2;
        locklab_setup();
        mprotect(page, PAGE, PROT_NONE);
        locklab_thread(0);
        mprotect(page, PAGE, PROT_READ | PROT_WRITE);
        locklab_check();
    }
    fprintf(stderr, "%u", seen);
    return 0;
}
