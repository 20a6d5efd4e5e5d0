/* SPDX-License-Identifier: MIT */
/*
 * Keeps a submission that is not trusted from the explorer and from the client that calls it, with
 * both of which it shares a process.
 *
 * The compiler announces every write before it takes place, and every function's begin and end. So
 * a write of the submission's code is refused, and the run violated, unless it goes to its own
 * statics, to the heap, to the part of the stack that its own functions use now, or to what the
 * client has lent it (locklab_lend). Where a function returns to is kept aside when it begins and
 * compared when it ends. A callback has to be one of the submission's functions, whose
 * beginnings the option `confine` lists.
 *
 * The submission is what was linked with its sections named submission_text, _data and _bss. All
 * this holds for what the compiler announces: inline assembly and calls through pointers have to be
 * refused by whoever compiles. A client must keep nothing in registers while it calls, since the
 * submission is free to give them back changed (c/common/confined.h of the grader shows how). Reading is
 * free.
 *
 * Source of the idea: Wahbe, Lucco, Anderson and Graham, SOSP 1993 (software fault isolation).
 */
#include <stdlib.h>

#include "explorer.h"

#define ENTRY(name) ex_do_##name

#if defined(__x86_64__)
enum { FRAME_POINTER = 1 }; /* of what the door saves (machine.S) */
#else
enum { FRAME_POINTER = 10 };
#endif

extern char __start_submission_text[] __attribute__((weak)),
    __stop_submission_text[] __attribute__((weak));

static bool is_submission(address pc)
{
    return pc >= (address)__start_submission_text && pc < (address)__stop_submission_text;
}

static address word_at(address at)
{
    return *(const address *)at;
}

void ENTRY(func_entry)(void *pc)
{
    address at = ex_door.saved[FRAME_POINTER];

    if (!ex_options.confine)
        return;
    if (ex_self->depth == MAX_FRAMES)
        ex_give_up("functions call each other more than %d deep", MAX_FRAMES);
    ex_self->frames[ex_self->depth++] =
        (struct frame){at, (address)pc, word_at(at), is_submission(ex_door.pc)};
}

void ENTRY(func_exit)(void)
{
    const struct frame *frame;
    address at = ex_door.saved[FRAME_POINTER];

    if (!ex_options.confine)
        return;
    frame = ex_self->depth > 0 ? &ex_self->frames[--ex_self->depth] : NULL;
    if (frame == NULL || frame->at != at || word_at(at + 8) != frame->returns ||
        word_at(at) != frame->outer)
        ex_fail("memory",
                "thread %d has overwritten where its function returns to; its last access was at "
                "{pc:%zx}",
                ex_self->number, ex_self->pc);
}

void ENTRY(locklab_lend)(void *at, unsigned long size)
{
    ex_self->lent = (address)at;
    ex_self->lent_size = size;
}

static bool lies_in(address at, size_t size, address from, address to)
{
    return at >= from && at <= to && size <= to - at;
}

static bool is_static(address at, size_t size)
{
    for (unsigned i = SUBMISSIONS; i < OWN_STATICS; i++) {
        address from, to;

        ex_statics_range(i, &from, &to);
        if (lies_in(at, size, from, to))
            return true;
    }
    return false;
}

/* Where the frames end of the submission's functions that are under way now. */
static address frames_end(void)
{
    address end = ex_door.sp;

    for (unsigned i = ex_self->depth; i > 0 && ex_self->frames[i - 1].submission; i--)
        end = ex_self->frames[i - 1].at;
    return end;
}

void ex_confine_write(address at, size_t size)
{
    if (!ex_options.confine || !is_submission(ex_door.pc))
        return;
    if (ex_on_heap(at) || is_static(at, size) || lies_in(at, size, ex_door.sp, frames_end()) ||
        lies_in(at, size, ex_self->lent, ex_self->lent + ex_self->lent_size))
        return;
    ex_step("write", at, (unsigned)size, 0, 0);
    ex_fail("memory", "thread %d writes to {at:%zx} at {pc:%zx}, which is not the submission's",
            ex_self->number, at, ex_self->pc);
}

/* Is it one of the offsets that the option lists? */
static bool begins_a_function(address offset)
{
    for (const char *at = ex_options.confine; *at != '\0'; at += *at == ',') {
        char *end;

        if (strtoull(at, &end, 10) == offset)
            return true;
        at = end;
    }
    return false;
}

void ex_confine_call(address function)
{
    address offset = function - (address)__start_submission_text;

    if (ex_options.confine && !(is_submission(function) && begins_a_function(offset)))
        ex_fail("memory",
                "thread %d hands over a callback at {pc:%zx} that is no function of the submission",
                ex_self->number, ex_self->pc);
}
