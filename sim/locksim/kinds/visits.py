"""How often each thread comes: one stays away, or comes once more than the others.

A lock that strictly alternates between its threads is right as long as all come equally often.
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.lang import *

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Visits:
    """Who comes how often.

    Arguments:
        away: the thread that never comes, or NOBODY.
        more: the thread that comes once more than the others.
    """

    away: int
    more: int

    @property
    def name(self) -> str:
        """The same in words."""
        away = "" if self.away == NOBODY else f"thread {self.away} stays away, "
        return f"{away}thread {self.more} comes once more"

    def settings(self) -> dict[str, int]:
        """The parameters of a workload that has ``away`` and ``more``."""
        return {"away": self.away, "more": self.more}

    def of(self, thread: int, rounds: int) -> int:
        """How often a thread comes, if the others come ``rounds`` times."""
        return 0 if thread == self.away else rounds + (thread == self.more)


def uneven(threads: int) -> list[Visits]:
    """Visits that are not equal: few, yet a thread at either end of the row stays away."""
    if threads == 1:
        return []
    last = threads - 1
    found = [Visits(0, last), Visits(last, 0)]
    if threads == 2:
        # With one away, the other is alone.
        found += [Visits(NOBODY, 0), Visits(NOBODY, 1)]
    return found


class DrawnVisits(Workload):
    """Each thread comes a number of times of its own, drawn from none to ``rounds``.

    It is mixed with a load that says by ``visit()`` what a thread does there.

    Arguments:
        rounds: visits of a thread at most. think_ps: mean time between two.
        step, offset: only every ``step``-th CPU comes, from ``offset`` on.
    """

    rounds = param(1)
    think_ps = param(1000 * NS)
    step = param(1)
    offset = param(0)

    def thread(self):
        yield from self.come()

    def come(self):
        """Come as often as was drawn."""
        rounds = random_below(self.rounds + 1)
        for _ in range(rounds * (cpu() % self.step == self.offset)):
            yield compute(random_below(2 * self.think_ps) + 1)
            yield from self.visit()
            yield done()

    def visit(self):
        """Come once."""
        yield pause()
