"""Common options of the commands that simulate: load, number of runs and placement."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from locksim.cli import values
from locksim.cli.reports import FORMATS
from lockui.arguments import bounded
from lockui.command import Detail
from lockui.completion import among
from lockui.errors import UsageError
from lockui.quantities import NS, PERCENT, DrawnTime, Numbers, Share, Time
from lockui.report import check_output

if TYPE_CHECKING:
    from locksim.kinds import LoadSettings, PlainLoad

__all__ = [
    "PLACEMENTS",
    "CpuCounts",
    "Load",
    "LockName",
    "MachineName",
    "MemoryModel",
    "Output",
    "Placement",
    "ReportFormat",
    "check_runs",
    "cpus_of",
    "read_placement",
    "whole_ns",
    "whole_percent",
]

PLACEMENTS = ("compact", "scatter")
HOLD, THINK, READS = DrawnTime(Time(100 * NS)), DrawnTime(Time(400 * NS)), Share(90 * PERCENT)

LockName = Annotated[
    str,
    typer.Argument(
        help="a name from 'locklab show lock', or FILE.py:CLASS",
        autocompletion=among(values.locks()),
    ),
]
MachineName = Annotated[str, Detail(values=among(values.machines))]
Placement = Annotated[str, Detail(values=among(PLACEMENTS))]
StatedPlacement = Annotated[
    str | None,
    Detail(default="compact, with scatter in the band", values=among(PLACEMENTS)),
]
"""None if the user does not say where threads are, so that a band holds either placement."""
CpuCounts = Annotated[Numbers | None, Detail("1,2,4,8", default="powers of 2 up to 32")]
MemoryModel = Annotated[str, Detail(values=among(values.memory_models))]
Arrivals = Annotated[str, Detail(values=among(values.arrivals))]
Hold = Annotated[
    DrawnTime,
    Detail("100ns is fixed, exponential:100ns is drawn with that mean", among(values.hold_times)),
]
Think = Annotated[
    DrawnTime,
    Detail(
        "of a lock: 400ns is the mean of an exponential draw, constant:400ns is fixed",
        among(values.think_times),
    ),
]
ReportFormat = Annotated[str | None, Detail(values=among(FORMATS))]


@dataclass(frozen=True)
class Load:
    """The options of a plain load: acquire, hold, release, think, repeat.

    Holds are constant and think times exponential where no distribution is written.
    """

    hold: Hold = HOLD
    think: Think = THINK
    reads: Share = READS
    words: int = 1
    arrivals: Arrivals = "closed"
    burst: int = 1

    def settings(self, tasks: int = 16) -> LoadSettings:
        """Return the settings of a plain load.

        Arguments:
            tasks: of a scheduler's load.

        Raises:
            LoadError: a value is out of range, or a word is not known.
            UsageError: the share of readers is not whole in per cent.
        """
        from locksim.kinds import ArrivalProcess, LoadSettings

        return LoadSettings(
            hold_ps=self.hold.mean.ps,
            think_ps=self.think.mean.ps,
            read_percent=whole_percent(self.reads),
            words=self.words,
            tasks=tasks,
            arrivals=ArrivalProcess(
                self.arrivals, self.burst, self.hold_times(), self.think_times()
            ),
        )

    def of(self, name: str, tasks: int = 16) -> PlainLoad:
        """Return this load for a lock, cache or scheduler.

        Arguments:
            name: of the library, or ``FILE.py:CLASS``. tasks: of a scheduler's load.

        Raises:
            LoadError: no plain load fits, or this one does not.
        """
        from locksim.kinds import not_paced, plain_load

        found = plain_load(name, self.settings(tasks))
        if not found.kind.paced and (self.hold.distribution or self.think.distribution):
            raise not_paced(name)
        return found

    def hold_times(self) -> str:
        """Return the distribution of the hold times."""
        return self.hold.distribution or "constant"

    def think_times(self) -> str:
        """Return the distribution of the think times."""
        return self.think.distribution or "exponential"

    def factors(self) -> dict[str, str | int]:
        """Return the load as factors of a sweep (:mod:`locksim.study.sweep.design`).

        Raises:
            UsageError: a time is not whole in nanoseconds, or a share in per cent.
        """
        return {
            "hold_ns": whole_ns(self.hold.mean),
            "think_ns": whole_ns(self.think.mean),
            "hold_times": self.hold_times(),
            "think_times": self.think_times(),
            "arrivals": self.arrivals,
            "burst": self.burst,
            "read_percent": whole_percent(self.reads),
            "words": self.words,
        }

    def in_words(self, *, replications: int, seed: int) -> str:
        """Return load and seeds as the sentence of a plot's caption."""
        runs = f"{replications} replication{'s' * (replications != 1)}, seeds from {seed}"
        return f"Hold {self.hold}, think {self.think}; {runs}."


@dataclass(frozen=True)
class Output:
    """How results come out, of a command that prints each as soon as it has it."""

    plot: list[Path] = field(default_factory=list)
    latex: bool = False
    json: bool = False

    def check(self) -> None:
        """Check before the first run that plots can be written, and what excludes what.

        Raises:
            UsageError: a plot has no known ending, or --latex and --json are both given.
        """
        check_output(json=self.json, latex=self.latex, plot=self.plot)


def whole_ns(time: Time) -> int:
    """Return a time in ns.

    Raises:
        UsageError: it is not whole.
    """
    if time % NS:
        raise UsageError(f"{time} is not a whole number of nanoseconds: write it like 2ns")
    return time // NS


def whole_percent(share: Share) -> int:
    """Return a share in per cent.

    Raises:
        UsageError: it is not whole.
    """
    if share % PERCENT:
        raise UsageError(f"{share} is not a whole number of per cent: write it like 5%")
    return share // PERCENT


def cpus_of(number: int) -> str:
    """Return "1 CPU" or "8 CPUs"."""
    return f"{number} CPU{'s' * (number != 1)}"


def check_runs(*, replications: int, seed: int, operations: int = 1) -> None:
    """Check the number and length of the runs.

    Raises:
        UsageError: a number is out of range.
    """
    bounded(operations, "--operations", 1, 10**9)
    bounded(replications, "--replications", 1, 10**5)
    bounded(seed, "--seed", 0, 2**62)


def read_placement(text: str) -> Literal["compact", "scatter"] | list[int]:
    """Return the placement of a text: a rule's name, or CPU numbers such as ``0,4,8``.

    Raises:
        UsageError: the text is neither.
    """
    if text == "compact":
        return "compact"
    if text == "scatter":
        return "scatter"
    try:
        return list(Numbers.parse(text))
    except UsageError:
        raise UsageError(
            f"--placement {text}: write compact, scatter, or CPU numbers such as 0,4,8"
        ) from None
