"""What-ifs: an experiment with one change, beside the original.

A what-if is a generator of :class:`Comparison` rows with a name. A decorator registers it, in the
module ``what_if`` of its paper's folder::

    @what_if(
        "kaigai-2004-mcs",
        of="kaigai-2004",
        title="An MCS lock instead of the spinlock",
        change="the cache's lock is MCS: each waiter spins on a line of its own",
    )
    def mcs(runs: Runs) -> Iterator[Comparison]:
        for i, n in enumerate(CPUS):
            runs.report(f"{n} CPUs", i / len(CPUS))
            yield Comparison("spinlock", f"{n} CPUs", before=…, after=…, unit="s", better="lower")

A what-if does not predict a published cell: no machine was measured with the change. It rests on
the experiment of which it is a variant, so nothing is fitted again.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from locksim.papers.experiment import ExperimentError, Progress
from locksim.study.simulation import Interval
from lockui.suggest import did_you_mean

MODULE = "what_if"
"""Name of the module of a paper's folder that registers its what-ifs."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One value of an experiment, without and with the change.

    Arguments:
        row, column: its place in the experiment's table.
        before: simulated without the change. after: simulated with the change.
        unit: unit of both.
        better: which direction is an improvement.
        gain: how many times better it gets: above 1 is an improvement; NaN if undefined.
    """

    row: str
    column: str
    before: Interval
    after: Interval
    unit: str
    better: Literal["lower", "higher"]

    gain: float = field(init=False)

    def __post_init__(self) -> None:
        """Compute the gain."""
        worse, better = self.before.mean, self.after.mean
        if self.better == "lower":
            worse, better = better, worse
        object.__setattr__(self, "gain", better / worse if worse else math.nan)


@dataclass(frozen=True, slots=True)
class Runs:
    """Settings of the runs of a what-if.

    Arguments:
        replications: independent runs per value. seed: of the first run.
        report: called with the running part and the fraction done.
    """

    replications: int = 3
    seed: int = 1
    report: Progress = lambda text, fraction: None


@dataclass(frozen=True)
class Outcome:
    """Result of a what-if; after Ctrl-C ``complete`` is False, with the finished rows.

    ``locklab paper what-if --json`` prints it. ``what_if`` and ``experiment`` are names.
    """

    what_if: str
    experiment: str
    title: str
    change: str
    rows: list[Comparison] = field(default_factory=list)
    complete: bool = True


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A registered what-if: see :func:`what_if` for the arguments."""

    name: str
    of: str
    title: str
    change: str
    compare: Callable[[Runs], Iterator[Comparison]]

    def run(self, runs: Runs | None = None) -> Outcome:
        """Simulate both sides of every row.

        Raises:
            KeyboardInterrupt: before the first row was finished.
        """
        rows: list[Comparison] = []
        complete = True
        try:
            for row in self.compare(runs or Runs()):
                rows.append(row)
        except KeyboardInterrupt:
            if not rows:
                raise
            complete = False
        return Outcome(self.name, self.of, self.title, self.change, rows, complete)


_KNOWN: dict[str, WhatIf] = {}


def what_if(
    name: str, *, of: str, title: str, change: str
) -> Callable[[Callable[[Runs], Iterator[Comparison]]], WhatIf]:
    """Register a what-if; a decorator of the generator that compares.

    Arguments:
        name: the experiment's name, and the change: ``kaigai-2004-mcs``.
        of: the experiment that it is a variant of.
        title: one line. change: the difference, and its reason.

    Raises:
        ExperimentError: the name is taken.
    """

    def register(compare: Callable[[Runs], Iterator[Comparison]]) -> WhatIf:
        if name in _KNOWN:
            raise ExperimentError(f"two what-ifs are named {name!r}: rename one of them")
        _KNOWN[name] = WhatIf(name, of, title, change, compare)
        return _KNOWN[name]

    return register


def names() -> list[str]:
    """The what-ifs, in alphabetical order."""
    _import_all()
    return sorted(_KNOWN)


def find(name: str) -> WhatIf:
    """A what-if by its name.

    Raises:
        ExperimentError: the name is unknown.
    """
    known = names()
    if name not in _KNOWN:
        raise ExperimentError(f"unknown what-if {name!r}; {did_you_mean(name, known)}")
    return _KNOWN[name]


def _import_all() -> None:
    """Import the modules that register what-ifs."""
    package = importlib.import_module("locksim.papers")
    for paper in pkgutil.iter_modules(package.__path__):
        name = f"locksim.papers.{paper.name}.{MODULE}"
        if paper.ispkg and importlib.util.find_spec(name) is not None:
            importlib.import_module(name)
