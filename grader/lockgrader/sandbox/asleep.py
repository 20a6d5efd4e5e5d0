"""Whether a job sleeps instead of working: the one rule for everything that runs in a sandbox.

A thread that sleeps (S) or is stopped (T) does not ask for a processor. A thread that could run is
in state R, however busy the machine is, and one that waits for a disk is in state D: neither is
asleep. So this is judged by state, and other work on the machine cannot bring it about. A job that
has used a processor since the last sample has worked in between, whatever its state is now.

A job that sleeps ten seconds at once will not end: it waits for a lock that no thread gives back,
for input that no one sends, or for the clock, to hold up a queue. One that wakes up now and then to
look busy does so six times as long, and no longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Set

__all__ = ["Sleep"]

ALTOGETHER = 6
"""How many times as long a job may sleep altogether as at once."""
LONGEST_GAP_S = 0.1
"""What the time between two samples counts as, at most: a watch that had no processor has not seen
what happened in between, and decides from a hundred samples, not from the clock."""
_ASLEEP, _OVER = {"S", "T", "t"}, {"Z", "X", "x"}


class Sleep:
    """How long all threads of a job have been asleep.

    Arguments:
        longest_s: at once. now_s: the clock.
    """

    def __init__(self, longest_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self._longest_s, self._now_s = longest_s, now_s
        self._last_s: float | None = None
        self._cpu_s, self._at_once_s, self._altogether_s = -1.0, 0.0, 0.0

    def is_too_long(self, states: Set[str], cpu_s: float) -> bool:
        """Take a sample.

        Arguments:
            states: of all threads of the job, as /proc has them. cpu_s: its processor time.
        """
        now_s, last_s = self._now_s(), self._last_s
        worked, self._cpu_s = cpu_s != self._cpu_s, cpu_s
        running = states - _OVER
        if worked or not running or running - _ASLEEP:
            self._last_s, self._at_once_s = None, 0.0
            return False
        self._last_s = now_s
        if last_s is not None:
            gap_s = min(now_s - last_s, LONGEST_GAP_S)
            self._at_once_s, self._altogether_s = (
                self._at_once_s + gap_s,
                self._altogether_s + gap_s,
            )
        most_s = self._longest_s
        return self._at_once_s > most_s or self._altogether_s > ALTOGETHER * most_s
