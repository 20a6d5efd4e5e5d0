"""Filter lock: Peterson's idea on N - 1 levels, each of which keeps one CPU back.

Mechanism. A CPU climbs the levels 1 … N - 1. On each it announces its level, makes itself the
``victim`` of that level, and waits as long as another CPU is as high or higher *and* it is still
the victim. The last one to come to a level is its victim, so each level lets all through but one.
Who has passed level N - 1 is alone.

Invariants. At most N - k CPUs have passed level k. Each level has one victim word, and only a CPU
that comes to the level writes it.

Fences. On each level a CPU writes (its level, the victim) and then reads the others' levels, so it
needs a full fence in between, as Peterson's lock does: ``FilterLock(fenced=0)`` is right under sc
and broken under tso. The first fence, between the two stores, is for C11 and Arm alone.

Cost in line transfers. Uncontended: the CPU reads the level of each other CPU on each level, which
are N² loads, and two fences a level. Nothing moves between caches as long as the others stay away,
but a single use of the lock is quadratic in N; that is why nobody uses it for more than a few CPUs.
Contended, each announcement takes a line from all that read it.

Fairness. No CPU waits forever, but another may overtake it any number of times on the way: the
victim of a level is let through by *any* newcomer, not by the next in a queue.

Not modelled. Leaving out levels while few CPUs compete.
"""

from locksim.lang import *

__all__ = ["FilterLock"]


class FilterLock(Lock):
    """Peterson's lock for N CPUs by loads and stores (Peterson, IPL 12(3), 1981).

    Arguments:
        fenced: 0 leaves the fences out.
    """

    fenced = param(1)
    level = percpu(word())
    victim = percpu(word())

    def acquire(self):
        me = cpu()
        for height in range(1, n_cpus()):
            yield self.level[me].store(height, RELAXED)
            if self.fenced:
                yield fence()
            yield self.victim[height].store(me, RELAXED)
            if self.fenced:
                yield fence()
            for other in range(n_cpus()):
                if other != me:
                    yield from self.wait_for(self.level[other], self.victim[height], height)

    def wait_for(self, theirs: word, victim: word, height):
        while (yield theirs.load(ACQUIRE)) >= height and (yield victim.load(ACQUIRE)) == cpu():
            yield pause()

    def release(self):
        yield self.level[cpu()].store(0, RELEASE)
