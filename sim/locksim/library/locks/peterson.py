"""Peterson's lock: mutual exclusion of two CPUs by loads and stores; a tournament for more.

Mechanism. At a gate two sides compete, 0 and 1. A side raises its flag, ``wants``, and gives the
``turn`` to the other. Then it waits as long as the other wants in too *and* has the turn. The turn
is one word, so of two sides that came together exactly one finds the turn its own: the first one to
write it. More than two CPUs play a tournament (Peterson and Fischer): the gates are the inner nodes
of a binary tree with one leaf for each CPU. A CPU passes the gates from its leaf to the root, and
leaves them from the root down. Two CPUs have one gate, and that is Peterson's algorithm itself.

Invariants. At a gate at most one CPU of each side competes: the one that holds all gates below. So
a CPU must leave the upper gate first; otherwise the next one from below would use its flag.

Fences, or why x86 breaks it. A CPU writes its flag and then reads the other's. A store that is
still in the store buffer is not seen by the other side, so both may read 0 and go in. Under sc the
lock is right without fences, under tso it is not: ``PetersonLock(fenced=0)`` is that lock, and the
checker shows the two buffered stores. x86 needs the second fence only. The first one orders flag
and turn: without it C11, and so Arm, lets the turn be seen before the flag.

Cost in line transfers. Uncontended: none if this CPU had the lock last, but two fences for each
gate, log2(N) gates, and as many stores to let go. Contended, each gate costs one transfer for its
first store, one when the other side writes, and one for the side that waits to read again. There is
no atomic instruction; it was made for machines that have none.

Fairness. At a gate the other side gets in once at most, so no CPU waits forever. In the tree that
gives a bound, but not first come, first served.

Not modelled. Packing gates so that the lower ones lie in one node: each has a line of its own.
"""

from locksim.lang import *

__all__ = ["PetersonLock"]

LEVELS = 11


class Gate(Struct):
    """Where two sides compete; ``wants`` and ``turn`` lie on one line."""

    wants = array(2)
    turn = word()


class PetersonLock(Lock):
    """Lock from loads and stores (Peterson, IPL 12(3), 1981; Peterson and Fischer, STOC 1977).

    Gate g has the children 2g and 2g + 1; the leaf of CPU c is N + c. Gate 0 is a lone CPU's.

    Arguments:
        fenced: 0 leaves the fences out.
    """

    fenced = param(1)
    gates = percpu(Gate)

    def acquire(self):
        leaf = n_cpus() + cpu()
        yield from self.enter(self.gates[leaf >> 1], leaf & 1)
        for level in range(1, LEVELS):
            gate = leaf >> (level + 1)
            if gate:
                yield from self.enter(self.gates[gate], (leaf >> level) & 1)

    def release(self):
        leaf = n_cpus() + cpu()
        for below in range(1, LEVELS):
            level = LEVELS - below
            gate = leaf >> (level + 1)
            if gate:
                yield from self.leave(self.gates[gate], (leaf >> level) & 1)
        yield from self.leave(self.gates[leaf >> 1], leaf & 1)

    def enter(self, gate: Gate, side):
        yield gate.wants[side].store(1, RELAXED)
        if self.fenced:
            yield fence()
        yield gate.turn.store(1 - side, RELAXED)
        if self.fenced:
            yield fence()
        yield from self.wait_for(gate.wants[1 - side], gate.turn, side)

    def wait_for(self, other: word, turn: word, side):
        while (yield other.load(ACQUIRE)) and (yield turn.load(ACQUIRE)) != side:
            yield pause()

    def leave(self, gate: Gate, side):
        yield gate.wants[side].store(0, RELEASE)
