/* MCS lock; a pointer is a thread's number + 1, NULL is 0. */
#include "client.inc"

byte tail;
byte next[THREADS];
bit locked[THREADS];

active [THREADS] proctype Thread()
{
    byte i, c, before, after;
again:
    next[_pid] = 0;
    atomic {
        before = tail;
        tail = _pid + 1;
        if
        :: before == 0 -> ENTER; goto in
        :: else
        fi
    };
    locked[_pid] = 1;
    atomic { next[before - 1] = _pid + 1; before = 0 };
    atomic { locked[_pid] == 0 -> ENTER };
in:
    COUNT_UP;
    atomic {
        after = next[_pid];
        if
        :: after != 0 -> goto hand_over
        :: else
        fi
    };
    atomic {
        if
        :: tail == _pid + 1 -> tail = 0; AGAIN
        :: else
        fi
    };
    atomic {
        after = next[_pid];
        if
        :: after != 0 -> goto hand_over
        :: else
        fi
    };
    atomic { next[_pid] != 0 -> after = next[_pid] };
hand_over:
    atomic { locked[after - 1] = 0; after = 0; AGAIN };
    DONE
}
