/* SPDX-License-Identifier: MIT */
/* A plain word is handed over through a flag; CASE says how. The even cases are right, the odd ones
 * are data races. */
#include <stdatomic.h>

static int data;
static _Atomic int flag;

static void give(void)
{
    data = 42;
    switch (CASE) {
    case 0: /* release, acquire */
    case 1: /* release, relaxed */
    case 4: /* release, relaxed and a fence */
        atomic_store_explicit(&flag, 1, memory_order_release);
        break;
    case 2: /* a fence and relaxed, acquire */
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
        break;
    case 3: /* relaxed, acquire */
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
        break;
    case 5: /* the fence comes too late */
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        break;
    case 6: /* the release sequence goes on through another's relaxed addition */
    case 7: /* and ends with another's relaxed store */
        atomic_store_explicit(&flag, 1, memory_order_release);
        break;
    }
}

static void pass_on(void)
{
    if (CASE == 6)
        atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    else if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
        atomic_store_explicit(&flag, 2, memory_order_relaxed);
}

static void take(void)
{
    memory_order order = CASE == 1 || CASE == 4 ? memory_order_relaxed : memory_order_acquire;
    int wanted = CASE >= 6 ? 2 : 1;

    if (atomic_load_explicit(&flag, order) != wanted)
        return;
    if (CASE == 4)
        atomic_thread_fence(memory_order_acquire);
    locklab_assert(data == 42);
}

void locklab_thread(int me)
{
    if (me == 0)
        give();
    else if (me == 1)
        take();
    else if (CASE >= 6)
        pass_on();
}
