"""How often each thread comes: one stays away, or comes once more than the others.

A lock that strictly alternates between its threads is right as long as all come equally often.
"""

from __future__ import annotations

from dataclasses import dataclass

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
