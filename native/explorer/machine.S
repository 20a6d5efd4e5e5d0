/* SPDX-License-Identifier: MIT */
/*
 * What C can not say: the door, and the switch.
 *
 * DOOR(symbol, name) defines symbol: it leaves the caller's address, its stack pointer and all
 * registers that a call preserves in ex_door, then goes on in ex_do_NAME with all arguments in place.
 *
 * ANNOUNCE(name) is a door where the compiler expects no call (announcements.py): all registers stay
 * as they are. Those that a call may change lie on the program's stack meanwhile, and so they count
 * as a part of the thread's state.
 */
#if defined(__x86_64__)

/* What a call preserves, into ex_door. */
#define LEAVE_PRESERVED                                                                            \
    movq %rbx, ex_door + 16(%rip);                                                                 \
    movq %rbp, ex_door + 24(%rip);                                                                 \
    movq %r12, ex_door + 32(%rip);                                                                 \
    movq %r13, ex_door + 40(%rip);                                                                 \
    movq %r14, ex_door + 48(%rip);                                                                 \
    movq %r15, ex_door + 56(%rip)

#define DOOR(symbol, name)                                                                         \
    .globl symbol;                                                                                 \
    .type symbol, @function;                                                                       \
    symbol:;                                                                                       \
    movq (%rsp), %r11;                                                                             \
    movq %r11, ex_door(%rip);                                                                      \
    leaq 8(%rsp), %r11;                                                                            \
    movq %r11, ex_door + 8(%rip);                                                                  \
    LEAVE_PRESERVED;                                                                               \
    jmp ex_do_##name;                                                                              \
    .size symbol, .- symbol

#define ANNOUNCE(name)                                                                             \
    .globl locklab_announce_##name;                                                                \
    .type locklab_announce_##name, @function;                                                      \
    locklab_announce_##name:;                                                                      \
    pushfq;                                                                                        \
    pushq %rax;                                                                                    \
    pushq %rcx;                                                                                    \
    pushq %rdx;                                                                                    \
    pushq %r8;                                                                                     \
    pushq %r9;                                                                                     \
    pushq %r10;                                                                                    \
    pushq %r11;                                                                                    \
    movq 64(%rsp), %rax; /* who calls */                                                           \
    movq %rax, ex_door(%rip);                                                                      \
    movq %rsp, ex_door + 8(%rip);                                                                  \
    LEAVE_PRESERVED;                                                                               \
    pushq %rbx;                                                                                    \
    movq %rsp, %rbx;                                                                               \
    subq $512, %rsp;                                                                               \
    andq $-16, %rsp;                                                                               \
    fxsave64 (%rsp);                                                                               \
    cld;                                                                                           \
    call ex_do_##name;                                                                             \
    fxrstor64 (%rsp);                                                                              \
    movq %rbx, %rsp;                                                                               \
    popq %rbx;                                                                                     \
    popq %r11;                                                                                     \
    popq %r10;                                                                                     \
    popq %r9;                                                                                      \
    popq %r8;                                                                                      \
    popq %rdx;                                                                                     \
    popq %rcx;                                                                                     \
    popq %rax;                                                                                     \
    popfq;                                                                                         \
    ret;                                                                                           \
    .size locklab_announce_##name, .- locklab_announce_##name

/* void ex_switch(void **save_sp, void *next_sp) */
    .text
    .globl ex_switch
    .type ex_switch, @function
ex_switch:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
    .size ex_switch, .- ex_switch

#elif defined(__aarch64__)

/* Who calls, its stack, and what a call preserves, into ex_door. */
#define LEAVE_DOOR                                                                                 \
    adrp x16, ex_door;                                                                             \
    add x16, x16, :lo12:ex_door;                                                                   \
    mov x17, sp;                                                                                   \
    stp x30, x17, [x16];                                                                           \
    stp x19, x20, [x16, 16];                                                                       \
    stp x21, x22, [x16, 32];                                                                       \
    stp x23, x24, [x16, 48];                                                                       \
    stp x25, x26, [x16, 64];                                                                       \
    stp x27, x28, [x16, 80];                                                                       \
    str x29, [x16, 96]

/* What a call may change, between registers and stack. */
#define NUMBERS(move)                                                                              \
    move x2, x3, [sp, 0];                                                                          \
    move x4, x5, [sp, 16];                                                                         \
    move x6, x7, [sp, 32];                                                                         \
    move x8, x9, [sp, 48];                                                                         \
    move x10, x11, [sp, 64];                                                                       \
    move x12, x13, [sp, 80];                                                                       \
    move x14, x15, [sp, 96];                                                                       \
    move x16, x17, [sp, 112]

#define VECTORS(move)                                                                              \
    move q0, q1, [sp, 160];                                                                        \
    move q2, q3, [sp, 192];                                                                        \
    move q4, q5, [sp, 224];                                                                        \
    move q6, q7, [sp, 256];                                                                        \
    move q8, q9, [sp, 288];                                                                        \
    move q10, q11, [sp, 320];                                                                      \
    move q12, q13, [sp, 352];                                                                      \
    move q14, q15, [sp, 384];                                                                      \
    move q16, q17, [sp, 416];                                                                      \
    move q18, q19, [sp, 448];                                                                      \
    move q20, q21, [sp, 480];                                                                      \
    move q22, q23, [sp, 512];                                                                      \
    move q24, q25, [sp, 544];                                                                      \
    move q26, q27, [sp, 576];                                                                      \
    move q28, q29, [sp, 608];                                                                      \
    move q30, q31, [sp, 640]

/* What a call preserves, likewise. */
#define PRESERVED(move)                                                                            \
    move x19, x20, [sp, 0];                                                                        \
    move x21, x22, [sp, 16];                                                                       \
    move x23, x24, [sp, 32];                                                                       \
    move x25, x26, [sp, 48];                                                                       \
    move x27, x28, [sp, 64];                                                                       \
    move x29, x30, [sp, 80];                                                                       \
    move d8, d9, [sp, 96];                                                                         \
    move d10, d11, [sp, 112];                                                                      \
    move d12, d13, [sp, 128];                                                                      \
    move d14, d15, [sp, 144]

#define DOOR(symbol, name)                                                                         \
    .globl symbol;                                                                                 \
    .type symbol, %function;                                                                       \
    symbol:;                                                                                       \
    LEAVE_DOOR;                                                                                    \
    b ex_do_##name;                                                                                \
    .size symbol, .- symbol

#define ANNOUNCE(name)                                                                             \
    .globl locklab_announce_##name;                                                                \
    .type locklab_announce_##name, %function;                                                      \
    locklab_announce_##name:;                                                                      \
    sub sp, sp, 672;                                                                               \
    NUMBERS(stp);                                                                                  \
    stp x18, x30, [sp, 128];                                                                       \
    mrs x16, nzcv;                                                                                 \
    str x16, [sp, 144];                                                                            \
    VECTORS(stp);                                                                                  \
    LEAVE_DOOR;                                                                                    \
    bl ex_do_##name;                                                                               \
    VECTORS(ldp);                                                                                  \
    ldr x16, [sp, 144];                                                                            \
    msr nzcv, x16;                                                                                 \
    ldp x18, x30, [sp, 128];                                                                       \
    NUMBERS(ldp);                                                                                  \
    add sp, sp, 672;                                                                               \
    ret;                                                                                           \
    .size locklab_announce_##name, .- locklab_announce_##name

    .text
    .globl ex_switch
    .type ex_switch, %function
ex_switch:
    sub sp, sp, 160
    PRESERVED(stp)
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    PRESERVED(ldp)
    add sp, sp, 160
    ret
    .size ex_switch, .- ex_switch

#else
#error "the explorer knows x86-64 and aarch64"
#endif

#define TSAN(name) DOOR(__tsan_##name, name)
#define PROGRAM(name) DOOR(program_##name, name)
#define API(name) DOOR(name, name)
#include "doors.def"

    .section .note.GNU-stack, "", %progbits
