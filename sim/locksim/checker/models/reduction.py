"""Which steps concern no other thread: partial-order reduction, by claims that are checked.

Two threads that each work on words of their own pass through all combinations of what they have
done, and it makes no difference. So in a state in which some thread's next step is *local*, only
that thread goes on there, instead of everybody (an ample set; Peled, CAV 1993; for the backward
search: Gerth, Kuiper, Peled and Penczek, ISTCS 1995).

*A claim* is made about each word outside the heap: only one thread accesses it, or everybody who
does, or at least who writes, holds a certain lock for himself, as Eraser has it (Savage et al.,
SOSP 1997). Nothing has to be declared or analysed: some random schedules show which claims are
worth making, and the reduced exploration checks every access that it meets. If one refutes a claim
that a reduction relied upon, all begins again without that claim. If none does, the claims hold in
*all* runs: take a shortest run from an explored state to an access that refutes. If only thread t
went on there, by a step on a word that it alone accesses, or that is protected by a lock which it
holds, then that step depends on none of the run's steps by others up to the refuting one. So it can
come first, and the run that is left is no longer. Local steps alone do not go on for ever (below);
then the run gets shorter. The same argument moves any violation, any stuck or final state, and any
state without a way to the end, into what is explored.

*Local* is a step that changes no mark of who holds a lock, nor goes wrong, and

- is an operation on a word of which a claim holds that covers it (under C11 no SEQ_CST one, unless
  the word is the thread's own: there is a view that all share),
- or under TSO puts a store into the thread's own buffer, makes one visible in a word that the
  thread alone accesses, or is a full fence that need not wait,
- or draws a random number.

All choices of the thread are explored, and all must be local. A state is not reduced if that would
close a cycle in which no other thread goes on (:mod:`locksim.checker.search.loop`): none is put off
forever.

*C11.* A word that one thread alone accesses needs no messages: it knows them all, and reads its
last. They would stay in the pool, and tell states apart, as no other thread ever learns of them.

What stays the same: whether some violation exists, the final states, whether an end can be reached
from everywhere. What does not: how long the way to a violation is; so :mod:`locksim.checker.check`
looks once more without reduction, for a shortest one. Cycles are not kept, so nothing is reduced
for starvation and bypass.
"""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.compiler import bytecode as b
from locksim.lang.ops import Order

OFF, LEARN, RELY = range(3)
"""``size[REDUCTION]``: no claims, collect them, reduce by them."""

OWNER, LOCKS, WRITERS, RELIED = range(4)
"""Columns of ``Tables.claims``: the only thread so far + 1 (0: none, -1: several), the locks that
were held at every access and at every one that was no load (bit sets), and what was relied upon. If
threads are not told apart, no word is one thread's. Row 0, NULL's, is none of a word: its first
column tells that a claim was refuted that something relied upon."""

_ALONE, _LOADS, _NO_MESSAGES = 1, 2, 4
"""Relied upon: in reductions by any access, in those by a load, by a word without messages."""

_MOST_LOCKS = 62
_SEQ_CST = int(Order.SEQ_CST)


def touch(t: m.Tables, row: list[int], address: int, writes: bool) -> None:
    """Weaken the claims about a word as an access of it by a row's thread demands."""
    thread = row[m.THREAD]
    if t.size[m.REDUCTION] == OFF or address >= t.size[m.STATIC]:
        return
    claim = t.claims[address]
    if claim[OWNER] == 0:
        claim[OWNER] = -1 if t.size[m.SYMMETRIC] else thread + 1
        claim[LOCKS] = claim[WRITERS] = -1
    elif claim[OWNER] != thread + 1:
        claim[OWNER] = -1
        if claim[RELIED] & _NO_MESSAGES:
            t.claims[0][0] = 1
    held = _held(t, row)
    claim[LOCKS] &= held
    if claim[RELIED] & _ALONE and claim[OWNER] < 0 and claim[LOCKS] == 0:
        t.claims[0][0] = 1
    if writes and claim[WRITERS] & ~held:
        claim[WRITERS] &= held
        # Not every load that relied on the others need have held those that are left.
        if claim[RELIED] & _LOADS:
            t.claims[0][0] = 1


def without_messages(t: m.Tables, thread: int, address: int) -> bool:
    """Whether a word may do without messages under C11; relies on that if so."""
    if t.size[m.REDUCTION] != RELY or address >= t.size[m.STATIC]:
        return False
    if t.claims[address][OWNER] != thread + 1:
        return False
    t.claims[address][RELIED] |= _NO_MESSAGES
    return True


def local(
    t: m.Tables,
    row: list[int],
    before: list[int],
    after: list[int],
    code: list[int],
    address: int,
    flushes: bool,
) -> bool:
    """Whether a step that was taken concerns no other thread; relies on its claim if so.

    Arguments:
        t: the model's Tables. row: the thread's row. before, after: the shared rows.
        code: the operation. address: of the word that was accessed.
        flushes: whether it was the store buffer's step.
    """
    if t.size[m.REDUCTION] != RELY:
        return False
    for i in range(t.size[m.HOLDERS], t.size[m.SLEEP]):
        if before[i] != after[i]:
            return False
    op, tso = code[0], t.size[m.MODEL] == m.TSO
    if not flushes:
        if op == b.RANDOM or (tso and op == b.FENCE):
            return True
        if not b.LOAD <= op <= b.FETCH_XOR:
            return False
    if address >= t.size[m.STATIC]:
        return False
    if tso and op == b.STORE and not flushes:
        return True
    claim = t.claims[address]
    if claim[OWNER] == row[m.THREAD] + 1:
        claim[RELIED] |= _ALONE
        return True
    if flushes or (t.size[m.MODEL] == m.C11 and code[b.WIDTH - 1] == _SEQ_CST):
        return False
    if claim[LOCKS]:
        claim[RELIED] |= _ALONE
        return True
    if op == b.LOAD and (claim[WRITERS] == -1 or claim[WRITERS] & _held(t, row)):
        claim[RELIED] |= _LOADS
        return True
    return False


def _held(t: m.Tables, row: list[int]) -> int:
    """The locks that a row's thread holds for itself, as a bit set."""
    held = 0
    for lock in range(min(_MOST_LOCKS, t.size[m.N_LOCKS])):
        if row[t.size[m.INSIDE] + 2 * lock]:
            held |= 1 << lock
    return held
