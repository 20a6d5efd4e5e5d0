"""Bakery lock: each CPU takes a number larger than all it sees, and the smallest goes first.

Mechanism. A CPU reads the numbers of all others and takes the largest plus 1. There is no atomic
operation that would draw it, so two CPUs may take the same number; then the lower CPU goes first.
While a CPU chooses it says so, and others wait until it has chosen before they compare: otherwise
one could compare with the 0 of a CPU that is about to write a smaller number. Then it waits for
each other CPU that has a number before its own. ``release`` gives the number back: 0.

Invariants. A number that is not 0 belongs to a CPU that waits or holds. The CPU with the smallest
(number, CPU) of those that have chosen goes in. Only its owner writes a word, so the lock needs no
more than loads and stores, and would be right even if reads during a write gave anything.

Fences. Twice a CPU writes and then reads what others write: ``choosing`` before it reads the
numbers, its number before it looks at the others. Without full fences there both may pass
(``BakeryLock(fenced=0)``): right under sc, broken under tso.

Cost in line transfers. Uncontended: it reads 3 (N - 1) words of others, all in its cache if no
other CPU came in between, and two fences. Contended, each CPU that comes or goes takes its line
from all that wait, so a handoff costs about N transfers, as for ``ticket``, and the scan comes on
top.

Fairness. First come, first served, in the order in which CPUs have chosen: who has its number
before another begins to choose goes first. `ticket` does the same with one atomic instruction.

Not modelled. Numbers that wrap around: 64 bits do not in any run; they grow while the lock is
never free.
"""

from locksim.lang import *

__all__ = ["BakeryLock"]


class BakeryLock(Lock):
    """FIFO lock from loads and stores (Lamport, CACM 17(8), 1974).

    Arguments:
        fenced: 0 leaves the fences out.
    """

    fenced = param(1)
    choosing = percpu(word())
    number = percpu(word())

    def acquire(self):
        me = cpu()
        mine = yield from self.choose(me)
        for other in range(n_cpus()):
            if other != me:
                while (yield self.choosing[other].load(ACQUIRE)):
                    yield pause()
                while self.goes_first((yield self.number[other].load(ACQUIRE)), other, mine, me):
                    yield pause()

    def choose(self, me):
        yield self.choosing[me].store(1, RELAXED)
        if self.fenced:
            yield fence()
        largest = 0
        for other in range(n_cpus()):
            if other != me:
                largest = max(largest, (yield self.number[other].load(RELAXED)))
        yield self.number[me].store(largest + 1, RELAXED)
        yield self.choosing[me].store(0, RELEASE)
        if self.fenced:
            yield fence()
        return largest + 1

    def goes_first(self, theirs, other, mine, me):
        return theirs != 0 and (theirs < mine or (theirs == mine and other < me))

    def release(self):
        yield self.number[cpu()].store(0, RELEASE)
