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

#define DOOR(symbol, name)                                                                         \
    .globl symbol;                                                                                 \
    .type symbol, @function;                                                                       \
    symbol:;                                                                                       \
    movq (%rsp), %r11;                                                                             \
    movq %r11, ex_door(%rip);                                                                      \
    leaq 8(%rsp), %r11;                                                                            \
    movq %r11, ex_door + 8(%rip);                                                                  \
    movq %rbx, ex_door + 16(%rip);                                                                 \
    movq %rbp, ex_door + 24(%rip);                                                                 \
    movq %r12, ex_door + 32(%rip);                                                                 \
    movq %r13, ex_door + 40(%rip);                                                                 \
    movq %r14, ex_door + 48(%rip);                                                                 \
    movq %r15, ex_door + 56(%rip);                                                                 \
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
    movq %rbx, ex_door + 16(%rip);                                                                 \
    movq %rbp, ex_door + 24(%rip);                                                                 \
    movq %r12, ex_door + 32(%rip);                                                                 \
    movq %r13, ex_door + 40(%rip);                                                                 \
    movq %r14, ex_door + 48(%rip);                                                                 \
    movq %r15, ex_door + 56(%rip);                                                                 \
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

#define DOOR(symbol, name)                                                                         \
    .globl symbol;                                                                                 \
    .type symbol, %function;                                                                       \
    symbol:;                                                                                       \
    adrp x16, ex_door;                                                                             \
    add x16, x16, :lo12:ex_door;                                                                   \
    mov x17, sp;                                                                                   \
    stp x30, x17, [x16];                                                                           \
    stp x19, x20, [x16, 16];                                                                       \
    stp x21, x22, [x16, 32];                                                                       \
    stp x23, x24, [x16, 48];                                                                       \
    stp x25, x26, [x16, 64];                                                                       \
    stp x27, x28, [x16, 80];                                                                       \
    str x29, [x16, 96];                                                                            \
    b ex_do_##name;                                                                                \
    .size symbol, .- symbol

#define ANNOUNCE(name)                                                                             \
    .globl locklab_announce_##name;                                                                \
    .type locklab_announce_##name, %function;                                                      \
    locklab_announce_##name:;                                                                      \
    sub sp, sp, 672;                                                                               \
    stp x2, x3, [sp, 0];                                                                           \
    stp x4, x5, [sp, 16];                                                                          \
    stp x6, x7, [sp, 32];                                                                          \
    stp x8, x9, [sp, 48];                                                                          \
    stp x10, x11, [sp, 64];                                                                        \
    stp x12, x13, [sp, 80];                                                                        \
    stp x14, x15, [sp, 96];                                                                        \
    stp x16, x17, [sp, 112];                                                                       \
    stp x18, x30, [sp, 128];                                                                       \
    mrs x16, nzcv;                                                                                 \
    str x16, [sp, 144];                                                                            \
    stp q0, q1, [sp, 160];                                                                         \
    stp q2, q3, [sp, 192];                                                                         \
    stp q4, q5, [sp, 224];                                                                         \
    stp q6, q7, [sp, 256];                                                                         \
    stp q8, q9, [sp, 288];                                                                         \
    stp q10, q11, [sp, 320];                                                                       \
    stp q12, q13, [sp, 352];                                                                       \
    stp q14, q15, [sp, 384];                                                                       \
    stp q16, q17, [sp, 416];                                                                       \
    stp q18, q19, [sp, 448];                                                                       \
    stp q20, q21, [sp, 480];                                                                       \
    stp q22, q23, [sp, 512];                                                                       \
    stp q24, q25, [sp, 544];                                                                       \
    stp q26, q27, [sp, 576];                                                                       \
    stp q28, q29, [sp, 608];                                                                       \
    stp q30, q31, [sp, 640];                                                                       \
    adrp x16, ex_door;                                                                             \
    add x16, x16, :lo12:ex_door;                                                                   \
    mov x17, sp;                                                                                   \
    stp x30, x17, [x16];                                                                           \
    stp x19, x20, [x16, 16];                                                                       \
    stp x21, x22, [x16, 32];                                                                       \
    stp x23, x24, [x16, 48];                                                                       \
    stp x25, x26, [x16, 64];                                                                       \
    stp x27, x28, [x16, 80];                                                                       \
    str x29, [x16, 96];                                                                            \
    bl ex_do_##name;                                                                               \
    ldp q0, q1, [sp, 160];                                                                         \
    ldp q2, q3, [sp, 192];                                                                         \
    ldp q4, q5, [sp, 224];                                                                         \
    ldp q6, q7, [sp, 256];                                                                         \
    ldp q8, q9, [sp, 288];                                                                         \
    ldp q10, q11, [sp, 320];                                                                       \
    ldp q12, q13, [sp, 352];                                                                       \
    ldp q14, q15, [sp, 384];                                                                       \
    ldp q16, q17, [sp, 416];                                                                       \
    ldp q18, q19, [sp, 448];                                                                       \
    ldp q20, q21, [sp, 480];                                                                       \
    ldp q22, q23, [sp, 512];                                                                       \
    ldp q24, q25, [sp, 544];                                                                       \
    ldp q26, q27, [sp, 576];                                                                       \
    ldp q28, q29, [sp, 608];                                                                       \
    ldp q30, q31, [sp, 640];                                                                       \
    ldr x16, [sp, 144];                                                                            \
    msr nzcv, x16;                                                                                 \
    ldp x18, x30, [sp, 128];                                                                       \
    ldp x16, x17, [sp, 112];                                                                       \
    ldp x14, x15, [sp, 96];                                                                        \
    ldp x12, x13, [sp, 80];                                                                        \
    ldp x10, x11, [sp, 64];                                                                        \
    ldp x8, x9, [sp, 48];                                                                          \
    ldp x6, x7, [sp, 32];                                                                          \
    ldp x4, x5, [sp, 16];                                                                          \
    ldp x2, x3, [sp, 0];                                                                           \
    add sp, sp, 672;                                                                               \
    ret;                                                                                           \
    .size locklab_announce_##name, .- locklab_announce_##name

    .text
    .globl ex_switch
    .type ex_switch, %function
ex_switch:
    sub sp, sp, 160
    stp x19, x20, [sp]
    stp x21, x22, [sp, 16]
    stp x23, x24, [sp, 32]
    stp x25, x26, [sp, 48]
    stp x27, x28, [sp, 64]
    stp x29, x30, [sp, 80]
    stp d8, d9, [sp, 96]
    stp d10, d11, [sp, 112]
    stp d12, d13, [sp, 128]
    stp d14, d15, [sp, 144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp x19, x20, [sp]
    ldp x21, x22, [sp, 16]
    ldp x23, x24, [sp, 32]
    ldp x25, x26, [sp, 48]
    ldp x27, x28, [sp, 64]
    ldp x29, x30, [sp, 80]
    ldp d8, d9, [sp, 96]
    ldp d10, d11, [sp, 112]
    ldp d12, d13, [sp, 128]
    ldp d14, d15, [sp, 144]
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
