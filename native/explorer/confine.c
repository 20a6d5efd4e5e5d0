/* SPDX-License-Identifier: MIT */
/*
 * Keeps a program that is not trusted from the explorer, with which it shares a process.
 *
 * The compiler announces every write before it takes place, and every function's begin and end. So
 * a write is refused, and the run violated, unless it goes to the program's statics, to its heap,
 * or to the part of its own stack that its own functions use. Where a function returns to is kept
 * aside when it begins and compared when it ends. A callback has to be code of the program's.
 *
 * This holds for what the compiler announces: no inline assembly, no calls through pointers, which
 * whoever compiles has to refuse. Not kept apart: the program and the client that calls it, whose
 * statics and frames it may write to; and reading, which is free.
 *
 * Source of the idea: Wahbe, Lucco, Anderson and Graham, SOSP 1993 (software fault isolation).
 */
#include "explorer.h"

#define ENTRY(name) ex_do_##name

#if defined(__x86_64__)
enum { FRAME_POINTER = 1 }; /* of what the door saves (machine.S) */
#else
enum { FRAME_POINTER = 10 };
#endif

extern char __start_program_text[] __attribute__((weak)),
    __stop_program_text[] __attribute__((weak));

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
    ex_self->frames[ex_self->depth++] = (struct frame){at, (address)pc, word_at(at)};
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

static bool is_static(address at, size_t size)
{
    for (unsigned i = 0; i < STATICS; i++) {
        address from, to;

        ex_statics_range(i, &from, &to);
        if (at >= from && at < to && size <= to - at)
            return true;
    }
    return false;
}

void ex_confine_write(address at, size_t size)
{
    if (!ex_options.confine || ex_on_heap(at) || is_static(at, size))
        return;
    if (ex_self->depth > 0 && at >= ex_door.sp && size <= STACK_SIZE &&
        at + size <= ex_self->frames[0].at)
        return;
    ex_step("write", at, (unsigned)size, 0, 0);
    ex_fail("memory", "thread %d writes to {at:%zx} at {pc:%zx}, which is not the program's",
            ex_self->number, at, ex_self->pc);
}

void ex_confine_call(address function)
{
    if (ex_options.confine && !(function >= (address)__start_program_text &&
                                function < (address)__stop_program_text))
        ex_fail("memory",
                "thread %d hands over a callback at {pc:%zx} that is no function of the program",
                ex_self->number, ex_self->pc);
}
