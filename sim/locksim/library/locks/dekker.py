"""Dekker's lock: the first that got mutual exclusion from loads and stores; two sides, or a tree.

Mechanism. At a gate a side raises its flag. If the other's flag is down, it is in. If both are up,
``turn`` says who may insist: the other one takes its flag down, waits until the turn is its own,
and raises the flag again. Who leaves gives the turn away. More than two CPUs pass a tree of gates,
as in ``peterson``.

Invariants. A side is in only while its flag is up, and it went in when it saw the other's down.
``turn`` changes only when a side leaves, so that in a conflict it stands still, and one yields.

Fences. As in Peterson's lock a side writes its flag and then reads the other's; without a full
fence between the two both may read 0 (``DekkerLock(fenced=0)``). Here one fence after each raising
of the flag is enough for all machines: ``turn`` decides who waits, never who goes in.

Cost in line transfers. As ``peterson``, with one fence for each gate less. In a conflict the flag
is taken down and raised once more: the line moves twice more.

Fairness. None waits forever, but there is no bound on how often the other side gets in first: a
side that has taken its flag down has to notice that the turn is its own.

Not modelled. As for ``peterson``.
"""

from locksim.lang import *
from locksim.library.locks.peterson import Gate, PetersonLock

__all__ = ["DekkerLock"]


class DekkerLock(PetersonLock):
    """Lock from loads and stores (Dekker, in: Dijkstra, EWD 123, 1965), in a tree of gates.

    Arguments:
        fenced: 0 leaves the fences out.
    """

    def enter(self, gate: Gate, side):
        yield from self.announce(gate, side)
        while (yield gate.wants[1 - side].load(ACQUIRE)):
            yield pause()
            if (yield gate.turn.load(ACQUIRE)) != side:
                yield gate.wants[side].store(0, RELAXED)
                while (yield gate.turn.load(ACQUIRE)) != side:
                    yield pause()
                yield from self.announce(gate, side)

    def announce(self, gate: Gate, side):
        yield gate.wants[side].store(1, RELAXED)
        if self.fenced:
            yield fence()

    def leave(self, gate: Gate, side):
        yield gate.turn.store(1 - side, RELEASE)
        yield gate.wants[side].store(0, RELEASE)
