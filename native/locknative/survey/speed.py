"""The speed check: how to see that something else shares a core.

A virtual CPU is often one of two hardware threads of a core, and the other belongs to another
guest. While that one works, ours runs at two thirds of its speed or less, and no counter shows it:
no time is stolen, and the thread has its CPU all the while. A clock that is lowered looks the same.
So each thread of a trial times some private work just before and just after it (``turn_ns``, the
time of one iteration, harness/run.c). A trial in which a thread was slow is rejected. Once some
trials have been seen, each waits for a quiet moment before it begins (``quiet_ns``): the neighbours
come and go within tenths of a second.

Slow is what takes longer than ``SLOWER`` times the tenth percentile of the trials with as many
threads: a clock that is lower because more cores work (turbo) is a property of the machine.
"""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SLOWER = 1.1
QUIETEST = 0.1
ENOUGH = 20
"""Trials that must have been seen before a new one waits for a moment as quiet as theirs."""


class SpeedCheck:
    """The speeds seen so far; a trial's is the time of an iteration on each thread, in ns."""

    def __init__(self, trials: Iterable[Sequence[float]] = ()) -> None:
        """Begin with some trials."""
        self._seen: dict[int, list[float]] = defaultdict(list)
        for turns_ns in trials:
            self.add(turns_ns)

    def add(self, turns_ns: Sequence[float]) -> None:
        """Take in a trial."""
        insort(self._seen[len(turns_ns)], max(turns_ns))

    def quiet_ns(self, threads: int) -> float | None:
        """Return the longest iteration of a trial that is not slow, in ns; None: too few seen."""
        seen = self._seen[threads]
        return SLOWER * self._usual_ns(seen) if len(seen) >= ENOUGH else None

    def warning(self, turns_ns: Sequence[float]) -> str | None:
        """Return in words that a thread of a trial was slow; None if none was."""
        seen = self._seen[len(turns_ns)]
        if not seen:
            return None
        usual = self._usual_ns(seen)
        if max(turns_ns) <= SLOWER * usual:
            return None
        return (
            f"private work took {max(turns_ns) / usual:.2f} times as long as in quiet moments: "
            "something shares the core, or the clock was lowered"
        )

    @staticmethod
    def _usual_ns(seen: Sequence[float]) -> float:
        return seen[int(QUIETEST * (len(seen) - 1))]


def turns_ns(tallies: Iterable[Mapping[str, Any]]) -> list[float]:
    """Return the time of an iteration of private work on each thread of a trial, in ns."""
    return [float(tally["turn_ns"]) for tally in tallies]
