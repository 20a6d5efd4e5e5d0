/* SPDX-License-Identifier: MIT */
/* What the clients on real threads do with a reader-writer lock. */
#include "records.h"

#include "calls.h"

#define READS(me, record)                                                                          \
    do {                                                                                           \
        read_acquire(me);                                                                          \
        (record)->began = ticket();                                                                \
        read_words(record);                                                                        \
        (record)->ended = ticket();                                                                \
        read_release(me);                                                                          \
    } while (0)
#include "guarded.h"
