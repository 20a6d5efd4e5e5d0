/* SPDX-License-Identifier: MIT */
/* What the clients on real threads do with a reader-writer lock. */
#include "calls.h"

#define READS(me, record)                                                                          \
    do {                                                                                           \
        READ_ACQUIRE(me);                                                                          \
        (record)->began = ticket();                                                                \
        read_words(record);                                                                        \
        (record)->ended = ticket();                                                                \
        READ_RELEASE(me);                                                                          \
    } while (0)
#define USE(me)                                                                                    \
    do {                                                                                           \
        READ_ACQUIRE(me);                                                                          \
        READ_RELEASE(me);                                                                          \
        ACQUIRE(me);                                                                               \
        RELEASE(me);                                                                               \
    } while (0)
#include "guarded.h"
