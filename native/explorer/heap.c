/* SPDX-License-Identifier: MIT */
/*
 * malloc and free of the program.
 *
 * Blocks lie one behind the other in a fixed range, with a gap between, and no address is given out
 * twice in a run. So an address says which block it was meant for, however long that
 * has been free: use after free, double free and overflow are certain, not likely. (For the same
 * reason a program that is wrong only because memory comes back, ABA, shows as a use after free.)
 * New memory holds 0xa5 bytes. free() counts as a write to the whole block: an access that nothing
 * orders before it is a race.
 *
 * A leak is a block that at the end is neither freed nor reachable from a static, directly or
 * through other reachable blocks.
 */
#include <string.h>
#include <sys/mman.h>

#include "explorer.h"

#define HEAP ((address)0x1000000000)
#define HEAP_SIZE ((size_t)16 << 20)
#define GRAIN 16
#define MAX_BLOCKS 4096

struct block {
    address at;
    size_t size;
    address made, freed; /* by whom: places in the program */
    int thread;          /* that freed it */
    bool is_free, reachable;
};

static struct block blocks[MAX_BLOCKS];
static unsigned n_blocks;
static address next;
static uint16_t owner[HEAP_SIZE / GRAIN]; /* block's number + 1, of each grain */

void ex_heap_begin(void)
{
    if (next == 0) {
        void *got = mmap((void *)HEAP, HEAP_SIZE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
        if (got != (void *)HEAP)
            ex_give_up("no memory for the heap");
    } else {
        memset(owner, 0, (next - HEAP) / GRAIN * sizeof(owner[0]));
    }
    next = HEAP + GRAIN;
    n_blocks = 0;
}

bool ex_on_heap(address at)
{
    return at >= HEAP && at < HEAP + HEAP_SIZE;
}

static struct block *block_of(address at)
{
    unsigned number = ex_on_heap(at) ? owner[(at - HEAP) / GRAIN] : 0;

    return number > 0 ? &blocks[number - 1] : NULL;
}

void *ex_allocate(size_t size, size_t alignment)
{
    size_t rounded = (size + GRAIN - 1) / GRAIN * GRAIN;
    address at;

    if (alignment < GRAIN)
        alignment = GRAIN;
    at = (next + alignment - 1) & ~(alignment - 1);
    if (n_blocks == MAX_BLOCKS || size > HEAP_SIZE || at + rounded + GRAIN > HEAP + HEAP_SIZE)
        ex_give_up("a run allocates more than %d blocks or %zu bytes: make the test smaller",
                   MAX_BLOCKS, HEAP_SIZE);
    blocks[n_blocks++] = (struct block){.at = at, .size = size, .made = ex_self->pc};
    /* The gap behind belongs to the block too, so that an overflow names it. */
    for (address grain = at; grain < at + rounded + GRAIN; grain += GRAIN)
        owner[(grain - HEAP) / GRAIN] = (uint16_t)n_blocks;
    next = at + rounded + GRAIN;
    memset((void *)at, 0xa5, size);
    ex_step("alloc", at, (unsigned)size, 0, at);
    return (void *)at;
}

void ex_release_block(void *block)
{
    address at = (address)block;
    struct block *found = block_of(at);

    if (block == NULL)
        return;
    ex_step("free", at, 0, 0, 0);
    if (found == NULL || found->at != at)
        ex_fail("memory", "thread %d frees {at:%zx} at {pc:%zx}, which malloc never gave out",
                ex_self->number, at, ex_self->pc);
    if (found->is_free)
        ex_fail("memory",
                "thread %d frees {at:%zx} at {pc:%zx}, which thread %d has freed at {pc:%zx} "
                "(double free)",
                ex_self->number, at, ex_self->pc, found->thread, found->freed);
    ex_access(at, found->size, FREES);
    found->is_free = true;
    found->freed = ex_self->pc;
    found->thread = ex_self->number;
}

size_t ex_block_size(void *block)
{
    struct block *found = block_of((address)block);

    return found != NULL ? found->size : 0;
}

void ex_heap_check(address at, size_t size, bool writes)
{
    const char *does = writes ? "writes" : "reads";
    struct block *found;

    if (at < 4096) {
        ex_step("access", at, (unsigned)size, 0, 0);
        ex_fail("memory", "thread %d %s through a null pointer (address %zu) at {pc:%zx}",
                ex_self->number, does, (size_t)at, ex_self->pc);
    }
    if (!ex_on_heap(at))
        return;
    found = block_of(at);
    if (found != NULL && !found->is_free && at + size <= found->at + found->size)
        return;
    ex_step("access", at, (unsigned)size, 0, 0);
    if (found != NULL && found->is_free)
        ex_fail("memory",
                "thread %d %s {at:%zx} at {pc:%zx}, which thread %d has freed at {pc:%zx} (use "
                "after free)",
                ex_self->number, does, at, ex_self->pc, found->thread, found->freed);
    ex_fail("memory",
            "thread %d %s %zu bytes at {at:%zx}, outside any block, at {pc:%zx} "
            "(overflow)",
            ex_self->number, does, size, at, ex_self->pc);
}

/* leaks */

static void reach(address from, address to);

static void reach_block(address pointer)
{
    struct block *block = block_of(pointer);

    if (block == NULL || block->is_free || block->reachable || pointer > block->at + block->size)
        return;
    block->reachable = true;
    reach(block->at, block->at + block->size);
}

static void reach(address from, address to)
{
    for (address at = (from + 7) & ~(address)7; at + 8 <= to; at += 8)
        reach_block((address)(*(uint64_t *)at & ~(uint64_t)3)); /* low bits may be flags */
}

void ex_heap_leaks(void)
{
    address from, to;
    bool all_free = true;

    for (unsigned i = 0; i < n_blocks; i++)
        all_free = all_free && blocks[i].is_free;
    if (all_free)
        return;
    for (unsigned i = 0; i < STATICS; i++) {
        ex_statics_range(i, &from, &to);
        reach(from, to);
    }
    for (unsigned i = 0; i < n_blocks; i++)
        if (!blocks[i].is_free && !blocks[i].reachable)
            ex_fail("leak",
                    "at the end nobody can reach the %zu bytes {at:%zx} any more, which were "
                    "allocated at {pc:%zx} and never freed (leak)",
                    blocks[i].size, blocks[i].at, blocks[i].made);
}

void ex_heap_print(int fd)
{
    for (unsigned i = 0; i < n_blocks; i++)
        ex_print(fd, "%s[%zu, %zu, %zu]", i > 0 ? ", " : "", blocks[i].at, blocks[i].size,
                 blocks[i].made);
}
