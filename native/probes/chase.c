/* SPDX-License-Identifier: MIT */
/*
 * A pointer chase: the address of each load is the value of the previous one, in an order that no
 * prefetcher predicts. mix.option is the size of the ring in KiB.
 *
 * While a ring fits into a cache, a hop has the latency of that cache; far above the last cache it
 * has that of memory. The operating system may report wrong cache sizes, above all in virtual
 * machines, so the same chase runs over many sizes. Large rings ask for huge pages, or they would
 * measure the TLB.
 *
 * The last thread builds the ring, so the node of its CPU is the home of the memory; thread 0 walks.
 * With one thread both are the same. Other threads only wait. The first call of work() builds the
 * ring, and must therefore be a warm-up. The count is that of hops; an error of mmap() goes into
 * the tally.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/harness.h"

#define HOPS 64
#define HUGE_PAGE ((size_t)2 << 20)

struct node {
    _Alignas(LOCKLAB_LINE) struct node *next;
};

struct chase {
    _Atomic(struct node *) ring; /* NULL: not built yet */
    atomic_int error;
    struct node *nodes;
    size_t size;
    unsigned threads;
};

static void *prepare(unsigned threads)
{
    struct chase *chase = calloc(1, sizeof(*chase));

    if (chase != NULL)
        chase->threads = threads;
    return chase;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One cycle through all lines (Sattolo's shuffle): without it a walk could end in a short one. */
static void link_ring(struct node *nodes, size_t count, uint64_t seed)
{
    uint64_t random = seed | 1;

    for (size_t i = 0; i < count; i++)
        nodes[i].next = &nodes[i];
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = next_random(&random) % i;
        struct node *swapped = nodes[i].next;

        nodes[i].next = nodes[j].next;
        nodes[j].next = swapped;
    }
}

static void build(struct chase *chase, const struct locklab_order *order)
{
    size_t kib = order->mix.option > 0 ? order->mix.option : 1;
    void *memory;

    chase->size = (kib * 1024 + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    memory = mmap(NULL, chase->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        atomic_store_explicit(&chase->error, errno, memory_order_release);
        return;
    }
    madvise(memory, chase->size, MADV_HUGEPAGE); /* if refused, the reading is a little higher */
    chase->nodes = memory;
    link_ring(chase->nodes, kib * 1024 / sizeof(struct node), order->mix.seed);
    atomic_store_explicit(&chase->ring, chase->nodes, memory_order_release);
}

static void work(void *state, unsigned thread, const struct locklab_order *order,
                 struct locklab_tally *tally)
{
    struct chase *chase = state;
    struct node *node;
    uint64_t count = 0;

    if (thread == chase->threads - 1 && atomic_load(&chase->ring) == NULL)
        build(chase, order);
    while ((node = atomic_load_explicit(&chase->ring, memory_order_acquire)) == NULL) {
        tally->error = atomic_load_explicit(&chase->error, memory_order_acquire);
        if (tally->error != 0 || atomic_load_explicit(order->stop, memory_order_relaxed))
            return;
    }
    while (thread == 0 && !atomic_load_explicit(order->stop, memory_order_relaxed)) {
#pragma GCC unroll 64
        for (int i = 0; i < HOPS; i++)
            node = node->next;
        count += HOPS;
    }
    __asm__ volatile("" : : "r"(node)); /* so that the compiler keeps the walk */
    tally->count = count;
}

static uint64_t updates(const void *state)
{
    (void)state;
    return 0;
}

static void dispose(void *state)
{
    struct chase *chase = state;

    if (chase->nodes != NULL)
        munmap(chase->nodes, chase->size);
    free(chase);
}

const struct locklab_loop locklab_throughput_chase = {prepare, work, updates, dispose, false};
