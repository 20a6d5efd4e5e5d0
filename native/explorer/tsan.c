/* SPDX-License-Identifier: MIT */
/*
 * What -fsanitize=thread puts into a program: a call before a plain access, and one instead of each
 * atomic operation. Where it leaves an access out, announcements.py adds the call. The interface is
 * the one that gcc and clang agree on (compiler-rt, tsan_interface.h and tsan_interface_atomic.h).
 * machine.S holds the doors, which come here.
 */
#include <string.h>

#include "explorer.h"

#define ENTRY(name) ex_do_##name

void __tsan_init(void)
{
}

void __tsan_ignore_thread_begin(void)
{
}

void __tsan_ignore_thread_end(void)
{
}

/* What `x += 1` of an atomic floating-point number ends with: it raises flags of its own thread. */
void __atomic_feraiseexcept(int flags)
{
    (void)flags;
}

/* A compiler barrier: nothing to explore. */
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

#define PLAIN(name, size, writes)                                                                  \
    void ENTRY(name)(void *at)                                                                     \
    {                                                                                              \
        ex_plain((address)at, size, writes);                                                       \
    }
/* clang's x += 1 */
#define READ_WRITE(name, size)                                                                     \
    void ENTRY(name)(void *at)                                                                     \
    {                                                                                              \
        ex_plain((address)at, size, false);                                                        \
        ex_plain((address)at, size, true);                                                         \
    }
/* The compiler tells them apart on request only. */
#define VOLATILE(name, size, writes)                                                               \
    void ENTRY(name)(void *at)                                                                     \
    {                                                                                              \
        ex_volatile((address)at, size, writes);                                                    \
    }
#define PLAINS(prefix, size)                                                                       \
    PLAIN(prefix##read##size, size, false)                                                         \
    PLAIN(prefix##write##size, size, true)                                                         \
    VOLATILE(prefix##volatile_read##size, size, false)                                             \
    VOLATILE(prefix##volatile_write##size, size, true)                                             \
    READ_WRITE(prefix##read_write##size, size)

PLAINS(, 1)
PLAINS(, 2)
PLAINS(, 4)
PLAINS(, 8)
PLAINS(, 16)
PLAINS(unaligned_, 2)
PLAINS(unaligned_, 4)
PLAINS(unaligned_, 8)
PLAINS(unaligned_, 16)
PLAIN(vptr_read, sizeof(void *), false)

void ENTRY(vptr_update)(void *at, void *new_value)
{
    (void)new_value;
    ex_plain((address)at, sizeof(void *), true);
}

void ENTRY(read_range)(void *at, size_t size)
{
    if (size > 0)
        ex_plain((address)at, size, false);
}

void ENTRY(write_range)(void *at, size_t size)
{
    if (size > 0)
        ex_plain((address)at, size, true);
}

#define VOLATILE_RANGE(name, writes)                                                               \
    void ENTRY(name)(void *at, size_t size)                                                        \
    {                                                                                              \
        if (size <= sizeof(value))                                                                 \
            ex_volatile((address)at, (unsigned)size, writes);                                      \
        else                                                                                       \
            ex_plain((address)at, size, writes);                                                   \
    }
VOLATILE_RANGE(volatile_read_range, false)
VOLATILE_RANGE(volatile_write_range, true)

/* Also what the program's own memcpy and memset become (libc.c). */
void *ENTRY(memmove)(void *to, const void *from, size_t size)
{
    if (size > 0) {
        ex_plain((address)from, size, false);
        ex_plain((address)to, size, true);
        memmove(to, from, size);
    }
    return to;
}

void *ENTRY(memcpy)(void *to, const void *from, size_t size)
{
    return ENTRY(memmove)(to, from, size);
}

void *ENTRY(memset)(void *to, int byte, size_t size)
{
    if (size > 0) {
        ex_plain((address)to, size, true);
        memset(to, byte, size);
    }
    return to;
}

/* Atomics. Bits above the order are hints that some processors take. */

#define ORDER(number) ((enum order)((number) & 7))

#define LOAD_STORE(bits, type)                                                                     \
    type ENTRY(atomic##bits##_load)(const volatile type *at, int order)                            \
    {                                                                                              \
        return (type)ex_load((address)at, sizeof(type), ORDER(order));                             \
    }                                                                                              \
    void ENTRY(atomic##bits##_store)(volatile type * at, type what, int order)                     \
    {                                                                                              \
        ex_store((address)at, sizeof(type), what, ORDER(order));                                   \
    }

#define UPDATE(bits, type, name, how)                                                              \
    type ENTRY(atomic##bits##_##name)(volatile type * at, type with, int order)                    \
    {                                                                                              \
        return (type)ex_update(how, (address)at, sizeof(type), with, ORDER(order));                \
    }

#define COMPARE(bits, type, name, is_weak)                                                         \
    int ENTRY(atomic##bits##_##name)(volatile type * at, type * expected, type desired, int order, \
                                     int failure)                                                  \
    {                                                                                              \
        value old = 0;                                                                             \
        ex_plain_read(&old, (address)expected, sizeof(type));                                      \
        bool equal = ex_compare_swap((address)at, sizeof(type), &old, desired, ORDER(order),       \
                                     ORDER(failure), is_weak);                                     \
        type found = (type)old;                                                                    \
        if (!equal)                                                                                \
            ex_plain_write((address)expected, &found, sizeof(type));                               \
        return equal;                                                                              \
    }

#define ATOMIC(bits, type)                                                                         \
    LOAD_STORE(bits, type)                                                                         \
    UPDATE(bits, type, exchange, SWAP)                                                             \
    UPDATE(bits, type, fetch_add, FETCH_ADD)                                                       \
    UPDATE(bits, type, fetch_sub, FETCH_SUB)                                                       \
    UPDATE(bits, type, fetch_and, FETCH_AND)                                                       \
    UPDATE(bits, type, fetch_or, FETCH_OR)                                                         \
    UPDATE(bits, type, fetch_xor, FETCH_XOR)                                                       \
    UPDATE(bits, type, fetch_nand, FETCH_NAND)                                                     \
    COMPARE(bits, type, compare_exchange_strong, false)                                            \
    COMPARE(bits, type, compare_exchange_weak, true)                                               \
    type ENTRY(atomic##bits##_compare_exchange_val)(volatile type * at, type expected,             \
                                                    type desired, int order, int failure)          \
    {                                                                                              \
        value old = expected;                                                                      \
        ex_compare_swap((address)at, sizeof(type), &old, desired, ORDER(order), ORDER(failure),    \
                        false);                                                                    \
        return (type)old;                                                                          \
    }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
ATOMIC(128, value)

void ENTRY(atomic_thread_fence)(int order)
{
    ex_fence(ORDER(order));
}
