/* SPDX-License-Identifier: MIT */
/* What the clients on real threads do with a sequence lock. A reader's tickets are those around all
 * of its attempts. */
#include "records.h"

#include "calls.h"

#include <stdatomic.h>

#define WORD _Atomic(uint32_t)
#define LOAD(word) atomic_load_explicit(&(word), memory_order_relaxed)
#define STORE(word, value) atomic_store_explicit(&(word), value, memory_order_relaxed)
#define READS(me, record)                                                                          \
    do {                                                                                           \
        uint32_t number;                                                                           \
                                                                                                   \
        (record)->began = ticket();                                                                \
        do {                                                                                       \
            number = read_begin();                                                                 \
            read_words(record);                                                                    \
        } while (read_retry(number));                                                              \
        (record)->ended = ticket();                                                                \
    } while (0)
#include "guarded.h"
