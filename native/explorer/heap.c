/* SPDX-License-Identifier: MIT */
/*
 * malloc and free of the program.
 *
 * Each thread has a range of its own, so that what malloc gives out does not depend on what others
 * do. Blocks lie one behind the other there, with a gap between that is as large as the block itself
 * (within bounds), and no address is given out twice in a run. So an address says which block it was meant for, however long that
 * has been free: use after free, double free and overflow are certain, not likely. (For the same
 * reason a program that is wrong only because memory comes back, ABA, shows as a use after free.)
 * New memory holds 0xa5 bytes. malloc() counts as a write to the block, and free() to the whole of
 * it: an access that nothing orders between the two is a race.
 *
 * A leak is a block that at the end is neither freed nor reachable from a static, or from the stack
 * of a thread that exit() finds unfinished, directly or through other reachable blocks.
 */
#include <string.h>
#include <sys/mman.h>

#include "explorer.h"

#define HEAP ((address)0x1000000000)
#define ARENA ((size_t)16 << 20) /* of each thread */
#define HEAP_SIZE (MAX_THREADS * ARENA)
#define GRAIN 16
#define FILLED 4096 /* bytes of a block that malloc counts as written */
#define MAX_BLOCKS 65534
#define LEAST_GAP 128
#define LARGEST_GAP 4096

struct block {
    address at;
    size_t size;
    address made, freed; /* by whom: places in the program */
    int thread;          /* that freed it */
    bool is_free, reachable;
};

static struct block blocks[MAX_BLOCKS];
static unsigned n_blocks;
static address next[MAX_THREADS];
static uint16_t owner[HEAP_SIZE / GRAIN]; /* block's number + 1, of each grain */

static size_t rounded(size_t size)
{
    return (size + GRAIN - 1) / GRAIN * GRAIN;
}

static size_t gap_behind(size_t size)
{
    return size < LEAST_GAP ? LEAST_GAP : size > LARGEST_GAP ? LARGEST_GAP : rounded(size);
}

/* Each arena is unused from there on. */
static void disown_from(const address *first)
{
    for (size_t i = 0; i < MAX_THREADS; i++) {
        if (next[i] > first[i])
            memset(&owner[(first[i] - HEAP) / GRAIN], 0,
                   (next[i] - first[i]) / GRAIN * sizeof(owner[0]));
        next[i] = first[i];
    }
}

void ex_heap_begin(void)
{
    static bool is_mapped;
    address first[MAX_THREADS];

    if (!is_mapped) {
        void *got = mmap((void *)HEAP, HEAP_SIZE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
        if (got != (void *)HEAP)
            ex_give_up("no memory for the heap");
        is_mapped = true;
    }
    for (size_t i = 0; i < MAX_THREADS; i++)
        first[i] = HEAP + i * ARENA + LARGEST_GAP;
    disown_from(first);
    n_blocks = 0;
}

/* The gap behind belongs to the block too, so that an overflow names it. */
static void own(const struct block *block)
{
    address end = block->at + rounded(block->size) + gap_behind(block->size);

    for (address grain = block->at; grain < end; grain += GRAIN)
        owner[(grain - HEAP) / GRAIN] = (uint16_t)(block - blocks + 1);
}

/* setup.c: the blocks that the conductor has made, and others on its errands. What it has freed stays
 * as it is, since nobody can reach it without a fault; so only the others are put back. */

static struct {
    struct block *block, then;
    struct copy memory;
} kept[MAX_BLOCKS];
static unsigned n_kept, n_blocks_kept;
static address next_kept[MAX_THREADS];

void ex_heap_keep(void)
{
    n_kept = 0;
    n_blocks_kept = n_blocks;
    memcpy(next_kept, next, sizeof(next));
    for (struct block *block = blocks; block < blocks + n_blocks; block++)
        if (!block->is_free) {
            kept[n_kept].block = block;
            kept[n_kept].then = *block;
            ex_copy_keep(&kept[n_kept++].memory, block->at, block->at + block->size);
        }
}

void ex_heap_put_back(void)
{
    disown_from(next_kept);
    n_blocks = n_blocks_kept;
    for (unsigned i = 0; i < n_kept; i++) {
        *kept[i].block = kept[i].then;
        ex_copy_put_back(&kept[i].memory);
    }
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
    address *mine = &next[ex_self->number], at;
    address end = HEAP + ((address)ex_self->number + 1) * ARENA;

    if ((alignment & (alignment - 1)) != 0)
        ex_fail("memory", "thread %d allocates at {pc:%zx} with alignment %zu, no power of two",
                ex_self->number, ex_self->pc, alignment);
    if (size > PTRDIFF_MAX)
        ex_fail("memory", "thread %d allocates %zu bytes at {pc:%zx}: no object is so large",
                ex_self->number, size, ex_self->pc);
    if (alignment < GRAIN)
        alignment = GRAIN;
    at = (*mine + alignment - 1) & ~(alignment - 1);
    if (n_blocks == MAX_BLOCKS || size > ARENA || at + rounded(size) + gap_behind(size) > end)
        ex_too_long("a run allocates more than %d blocks, or a thread more than %zu bytes: make the "
                   "test smaller",
                   MAX_BLOCKS, ARENA);
    ex_spins_forget(ex_self);
    blocks[n_blocks] = (struct block){.at = at, .size = size, .made = ex_self->pc};
    own(&blocks[n_blocks++]);
    *mine = at + rounded(size) + gap_behind(size);
    memset((void *)at, 0xa5, size);
    ex_access(at, size < FILLED ? size : FILLED, WRITES);
    ex_step("alloc", at, (unsigned)size, 0, at);
    return (void *)at;
}

void ex_release_block(void *block)
{
    address at = (address)block;
    struct block *found = block_of(at);

    if (block == NULL)
        return;
    ex_spins_forget(ex_self);
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

/* A local variable is gone when its function has returned, or its thread has ended. */
static void check_stack(address at, size_t size, const char *does)
{
    const struct thread *whose = ex_stack_owner(at);
    address low = whose == ex_self ? ex_door.sp : whose->low;

    if (whose->stage == STARTED && at >= low)
        return;
    ex_step("access", at, (unsigned)size, 0, 0);
    ex_fail("memory",
            "thread %d %s {at:%zx} at {pc:%zx}, a local variable of a function of thread %d that "
            "has returned (use after return)",
            ex_self->number, does, at, ex_self->pc, whose->number);
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
    if (ex_on_a_stack(at))
        check_stack(at, size, does);
    if (!ex_on_heap(at)) {
        if (ex_statics_overflow(at, size)) {
            ex_step("access", at, (unsigned)size, 0, 0);
            ex_fail("memory", "thread %d %s %zu bytes at {pc:%zx} that are no variable's (overflow)",
                    ex_self->number, does, size, ex_self->pc);
        }
        return;
    }
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

size_t ex_heap_held(size_t *bytes)
{
    size_t held = 0, sum = 0;

    for (unsigned i = 0; i < n_blocks; i++)
        if (!blocks[i].is_free) {
            held++;
            sum += blocks[i].size;
        }
    if (bytes != NULL)
        *bytes = sum;
    return held;
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
    for (unsigned i = 0; i < ex_statics_count(); i++) {
        ex_statics_range(i, &from, &to);
        reach(from, to);
    }
    ex_keys_range(&from, &to);
    reach(from, to);
    for (int i = 0; i < ex_threads_used; i++) /* exit() leaves what they hold */
        if (ex_threads[i].stage == STARTED && !ex_threads[i].returned && i != ex_conductor &&
            ex_stack_pointer(&ex_threads[i]) != 0)
            reach(ex_stack_pointer(&ex_threads[i]), ex_stack_end(&ex_threads[i]));
    for (unsigned i = 0; i < sizeof(ex_door.saved) / sizeof(ex_door.saved[0]); i++)
        if (!ex_self->returned && ex_self->number != ex_conductor)
            reach_block(ex_door.saved[i]);
    for (unsigned i = 0; i < n_blocks; i++)
        if (!blocks[i].is_free && !blocks[i].reachable)
            ex_fail("leak",
                    "at the end no pointer leads to the %zu bytes {at:%zx} any more, which were "
                    "allocated at {pc:%zx} and never freed (leak)",
                    blocks[i].size, blocks[i].at, blocks[i].made);
}

void ex_heap_print(int fd)
{
    for (unsigned i = 0; i < n_blocks; i++)
        ex_print(fd, "%s[%zu, %zu, %zu]", i > 0 ? ", " : "", blocks[i].at, blocks[i].size,
                 blocks[i].made);
}
