/* SPDX-License-Identifier: MIT */
/* Litmus tests: TEST names one, and the check fails when the outcome in question is reached. The
 * names and outcomes are docs/explain/checker.md's; the accesses are relaxed unless it says
 * otherwise. */
#include <stdatomic.h>

enum { SB, SB_FENCED, SB_SEQ_CST, MP, LB, S, R, TWO_PLUS_TWO_W, IRIW, CORR, N6 };

static _Atomic int x, y;
static int seen[4][2];

#define LOAD(word) atomic_load_explicit(&(word), memory_order_relaxed)
#define STORE(word, value) atomic_store_explicit(&(word), value, memory_order_relaxed)

void locklab_thread(int me)
{
    switch (TEST) {
    case SB:
        STORE(*(me ? &y : &x), 1);
        seen[me][0] = LOAD(*(me ? &x : &y));
        break;
    case SB_FENCED:
        STORE(*(me ? &y : &x), 1);
        atomic_thread_fence(memory_order_seq_cst);
        seen[me][0] = LOAD(*(me ? &x : &y));
        break;
    case SB_SEQ_CST:
        atomic_store(me ? &y : &x, 1);
        seen[me][0] = LOAD(*(me ? &x : &y));
        break;
    case MP:
        if (me == 0) {
            STORE(x, 1);
            STORE(y, 1);
        } else {
            seen[1][0] = LOAD(y);
            seen[1][1] = LOAD(x);
        }
        break;
    case LB:
        seen[me][0] = LOAD(*(me ? &y : &x));
        STORE(*(me ? &x : &y), 1);
        break;
    case S:
        if (me == 0) {
            STORE(x, 2);
            STORE(y, 1);
        } else {
            seen[1][0] = LOAD(y);
            STORE(x, 1);
        }
        break;
    case R:
        if (me == 0) {
            STORE(x, 1);
            STORE(y, 1);
        } else {
            STORE(y, 2);
            seen[1][0] = LOAD(x);
        }
        break;
    case TWO_PLUS_TWO_W:
        STORE(*(me ? &y : &x), 1);
        STORE(*(me ? &x : &y), 2);
        break;
    case IRIW:
        if (me < 2) {
            STORE(*(me ? &y : &x), 1);
        } else {
            seen[me][0] = LOAD(*(me == 2 ? &x : &y));
            seen[me][1] = LOAD(*(me == 2 ? &y : &x));
        }
        break;
    case CORR:
        if (me == 0) {
            STORE(x, 1);
        } else {
            seen[1][0] = LOAD(x);
            seen[1][1] = LOAD(x);
        }
        break;
    case N6:
        if (me == 0) {
            STORE(x, 1);
            seen[0][0] = LOAD(x);
            seen[0][1] = LOAD(y);
        } else {
            STORE(y, 1);
            STORE(x, 2);
        }
        break;
    }
}

void locklab_check(void)
{
    int a = LOAD(x), b = LOAD(y), reached = 0;

    switch (TEST) {
    case SB:
    case SB_FENCED:
    case SB_SEQ_CST:
        reached = seen[0][0] == 0 && seen[1][0] == 0;
        break;
    case MP:
        reached = seen[1][0] == 1 && seen[1][1] == 0;
        break;
    case LB:
        reached = seen[0][0] == 1 && seen[1][0] == 1;
        break;
    case S:
        reached = a == 2 && seen[1][0] == 1;
        break;
    case R:
        reached = b == 2 && seen[1][0] == 0;
        break;
    case TWO_PLUS_TWO_W:
        reached = a == 1 && b == 1;
        break;
    case IRIW:
        reached = seen[2][0] == 1 && seen[2][1] == 0 && seen[3][0] == 1 && seen[3][1] == 0;
        break;
    case CORR:
        reached = seen[1][0] == 1 && seen[1][1] == 0;
        break;
    case N6:
        reached = seen[0][0] == 1 && seen[0][1] == 0 && a == 1;
        break;
    }
    locklab_assert(!reached);
}
