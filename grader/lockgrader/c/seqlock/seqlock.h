/* SPDX-License-Identifier: MIT */
/*
 * One sequence lock: what a submission defines.
 *
 *     do {
 *         number = seqlock_read_begin();
 *         ... read the data, by relaxed atomic loads ...
 *     } while (seqlock_read_retry(number));
 *
 * The data belongs to the caller. Writers change it by relaxed atomic stores between write_begin and
 * write_end, one writer at a time. Readers write nothing that others read.
 */
#ifndef SEQLOCK_H
#define SEQLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { SEQLOCK_THREADS = 8 };

/* Call it in each iteration of a loop that waits. */
void locklab_relax(void);

/* Before any other call, by one thread. */
void seqlock_init(void);

/* The number to pass to read_retry. It may wait while a writer is inside. */
uint32_t seqlock_read_begin(void);

/* Whether a writer was inside since the number was given, so that what was read is void. */
bool seqlock_read_retry(uint32_t number);

/* A thread has a number `me` below SEQLOCK_THREADS. */
void seqlock_write_begin(unsigned me);
void seqlock_write_end(unsigned me);

#endif
