/*
 * Reader-writer lock on one word, readers first. Who writes in which round is as in LockLab's client
 * (ReadingAndWriting): a writer changes two words, a reader compares them. The mark of who is inside
 * tells threads apart, so it does here.
 */
#include "client.inc"

#define WRITER (-16384)
#define WRITES ((_pid + i) % 2 == 0)
#define ENTER_TO_WRITE assert(writing == 0 && readers == 0); writing = _pid + 1
#define LEAVE_TO_WRITE writing = 0
#define ENTER_TO_READ assert(writing == 0); readers = readers | (1 << _pid)
#define LEAVE_TO_READ readers = readers ^ (1 << _pid)

short state;
byte copy;
byte writing;
byte readers;

active [THREADS] proctype Thread()
{
    byte i, c;
again:
    if
    :: atomic { WRITES && state == 0 -> goto claim }
    :: atomic { !WRITES && state >= 0 -> state++; ENTER_TO_READ; goto read }
    :: atomic { !WRITES && state < 0 -> state++; goto step_back }
    fi;
claim:
    atomic {
        if
        :: state == 0 -> state = WRITER; ENTER_TO_WRITE; goto write
        :: else
        fi
    };
    atomic { state == 0 -> goto claim };
write:
    c = count;
    count = c + 1;
    atomic { copy = c + 1; c = 0; LEAVE_TO_WRITE };
    atomic { state = state - WRITER; AGAIN };
step_back:
    state--;
    atomic { state >= 0 -> goto again };
read:
    c = count;
    atomic { assert(copy == c); c = 0; LEAVE_TO_READ };
    atomic { state--; AGAIN };
    DONE
}
