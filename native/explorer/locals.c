/* SPDX-License-Identifier: MIT */
/*
 * The program's thread-local variables.
 *
 * All threads are fibers of one thread of the kernel, which has one set of thread-local variables. So
 * the program's are compiled as ordinary variables of the section program_tls, which is a pattern:
 * each fiber has a copy of it above its stack. The compiler reaches them through the segment register
 * %gs in place of %fs (program.py rewrites its assembly), whose base is the distance from the
 * pattern to the copy. The pattern's first word, locklab_tls_base, holds the distance too, for those
 * who take a variable's address. Only on x86-64: elsewhere such programs are refused.
 */
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "explorer.h"

extern char __start_program_tls[], __stop_program_tls[];
__attribute__((section("program_tls"), used)) uint64_t locklab_tls_base;

size_t ex_locals_size(void)
{
    size_t size = (size_t)(__stop_program_tls - __start_program_tls);

    return size > sizeof(locklab_tls_base) ? (size + 63) & ~(size_t)63 : 0;
}

static uint64_t distance(address at)
{
    return at - (address)__start_program_tls;
}

void ex_locals_make(address at)
{
    uint64_t base = distance(at);
    size_t size = (size_t)(__stop_program_tls - __start_program_tls);

    if (ex_locals_size() == 0)
        return;
    memcpy((void *)at, __start_program_tls, size);
    memcpy((char *)at + ((char *)&locklab_tls_base - __start_program_tls), &base, sizeof(base));
}

void ex_locals_use(address at)
{
#if defined(__x86_64__)
    enum { SET_GS = 0x1001, MAY_WRITE_BASE = 2 };

    if (ex_locals_size() == 0)
        return;
    if (getauxval(AT_HWCAP2) & MAY_WRITE_BASE)
        __asm__ volatile("wrgsbase %0" ::"r"(distance(at)));
    else
        syscall(SYS_arch_prctl, SET_GS, distance(at));
#else
    (void)at;
#endif
}
