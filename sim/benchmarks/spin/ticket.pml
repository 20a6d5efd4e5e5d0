/* Ticket lock. */
#include "client.inc"

byte next_ticket;
byte now_serving;

active [THREADS] proctype Thread()
{
    byte i, c, ticket, served;
again:
    atomic { ticket = next_ticket; next_ticket++ };
    atomic { now_serving == ticket -> ticket = 0; ENTER };
    COUNT_UP;
    served = now_serving;
    atomic { now_serving = served + 1; served = 0; AGAIN };
    DONE
}
