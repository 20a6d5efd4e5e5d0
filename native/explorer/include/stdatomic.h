/* SPDX-License-Identifier: MIT */
/*
 * The compiler's <stdatomic.h>, with atomic_init() as C11 has it (7.17.2.1): it initialises an atomic
 * object and is no atomic operation, so another access to the object must not happen at once. gcc
 * makes it a relaxed store, in which no race would be seen.
 */
#ifndef LOCKLAB_STDATOMIC_H
#define LOCKLAB_STDATOMIC_H

#include_next <stdatomic.h>

#ifdef __SANITIZE_THREAD__
#undef atomic_init
#define atomic_init(object, value)                                                                 \
    __extension__({                                                                                \
        __auto_type locklab_at = (object);                                                         \
        *(__typeof__((void)0, *locklab_at) *)locklab_at = (value);                                 \
    })
#endif

#endif
