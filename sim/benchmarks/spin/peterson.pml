/* Peterson's algorithm for two threads. */
#include "client.inc"

bit wants[2];
bit turn;

active [2] proctype Thread()
{
    byte i, c;
again:
    wants[_pid] = 1;
    turn = 1 - _pid;
look:
    atomic {
        if
        :: wants[1 - _pid] == 0 -> ENTER; goto in
        :: else
        fi
    };
    atomic {
        if
        :: turn == _pid -> ENTER; goto in
        :: else -> goto look
        fi
    };
in:
    COUNT_UP;
    atomic { wants[_pid] = 0; AGAIN };
    DONE
}
