"""What a user can set of a plain load: times, readers, words, tasks, and when requests come."""

from __future__ import annotations

from dataclasses import dataclass, field

from locksim.lang.ops import NS
from locksim.library.workloads import paced

__all__ = ["ArrivalProcess", "LoadError", "LoadSettings"]

#: Longest time that a load may ask for: far above any critical section, and its sums fit 64 bits.
LONGEST_NS = 10**9
MOST_WORDS = 64
LARGEST_BURST = 1000
MOST_TASKS = 1 << 16

ARRIVALS = {"closed": paced.CLOSED, "open": paced.OPEN}
TIMES = {
    "constant": paced.CONSTANT,
    "exponential": paced.EXPONENTIAL,
    "uniform": paced.UNIFORM,
    "bimodal": paced.BIMODAL,
}


class LoadError(Exception):
    """A struct that no plain load fits, or a load that makes no sense.

    Messages name settings as the options of ``locklab run`` do.
    """

    exit_code = 2


@dataclass(frozen=True, slots=True)
class ArrivalProcess:
    """When CPUs ask, and how times vary; in words for :mod:`locksim.library.workloads.paced`.

    By default a closed load: all holds equal, think times exponential.

    Arguments:
        arrivals: ``closed`` or ``open``. burst: sections that come together, 1 to 1,000.
        hold_times, think_times: ``constant``, ``exponential``, ``uniform`` or ``bimodal``.

    Raises:
        LoadError: a word that is not known, or a burst out of range.
    """

    arrivals: str = "closed"
    burst: int = 1
    hold_times: str = "constant"
    think_times: str = "exponential"

    def __post_init__(self) -> None:
        _check("--burst", self.burst, 1, LARGEST_BURST)
        _number("--arrivals", self.arrivals, ARRIVALS)
        _number("--hold", self.hold_times, TIMES)
        _number("--think", self.think_times, TIMES)

    def params(self) -> dict[str, int]:
        """The parameters of a ``Paced`` workload."""
        return {
            "arrivals": ARRIVALS[self.arrivals],
            "burst": self.burst,
            "hold_times": TIMES[self.hold_times],
            "think_times": TIMES[self.think_times],
        }


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """The settings of a plain load; each kind takes those that it knows.

    Arguments:
        hold_ps: time inside the critical section, 0 to 1 s. think_ps: mean time between two.
        read_percent: share of readers, where there are readers, 0 to 100.
        words: shared words that a critical section reads or counts up, 0 to 64 (counted
            references and RCU have none).
        tasks: for schedulers, 1 to 65,536; each works for think_ps, and wakes the next in its ring.
        arrivals: when locks are asked for; other kinds have an arrival process of their own.

    Raises:
        LoadError: a number is out of range.
    """

    hold_ps: int = 100 * NS
    think_ps: int = 400 * NS
    read_percent: int = 90
    words: int = 1
    tasks: int = 16
    arrivals: ArrivalProcess = field(default_factory=ArrivalProcess)

    def __post_init__(self) -> None:
        for option, time_ps in (("--hold", self.hold_ps), ("--think", self.think_ps)):
            if not 0 <= time_ps <= LONGEST_NS * NS:
                raise LoadError(f"{option} must be between 0ns and 1s (got {time_ps / NS:,.15g}ns)")
        if not 0 <= self.read_percent <= 100:
            raise LoadError(f"--reads must be between 0% and 100% (got {self.read_percent}%)")
        _check("--words", self.words, 0, MOST_WORDS)
        _check("--tasks", self.tasks, 1, MOST_TASKS)

    def paced(self) -> dict[str, int]:
        """The parameters that all ``Paced`` workloads have: times and the arrival process."""
        times = {"hold_ps": self.hold_ps, "think_ps": self.think_ps}
        return times | self.arrivals.params()


def _check(option: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise LoadError(f"{option} must be between {low} and {high:,} (got {value})")


def _number(option: str, word: str, known: dict[str, int]) -> None:
    if word not in known:
        raise LoadError(f"{option} {word}: write {', '.join(known)}")
