"""Experiments: published results, and their simulation with a role for each cell.

An experiment is a :class:`Plan`: independent jobs, and a function that makes a table of their
results. So one process or several can run it, and after Ctrl-C the finished jobs make a smaller
table.

A cell is *input* if a parameter was set from it (it proves nothing), *fitted* if a fit used it, and
*predicted* otherwise. Errors are fractions of the corrected value, and the summary counts only
predicted cells.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Generic, Literal, TypeVar

from locksim.machine import Parameter
from locksim.study.bands import Band
from locksim.study.jobs import Job, Runner
from lockui.plots import Plot

Role = Literal["input", "fitted", "predicted"]
Progress = Callable[[str, float], None]
Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class ExperimentError(Exception):
    """The experiment does not exist, or cannot run with these options."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a published table beside its simulation.

    Arguments:
        row, column: its place in the table.
        published: as printed, or None. corrected: the corrected value, or None if nothing was
            measured.
        simulated: the mean over replications; low, high: its 95 % interval.
        role: whether a parameter or a fit used the corrected value.
        unit: of the corrected and the simulated value.
        note: a short remark, such as the cell's bottleneck.
        at: its place on the axis of a curve, such as a number of CPUs; not part of the JSON.
        band: how far the simulated value depends on starting order and on the machine's uncertain
            values, if that was asked.
    """

    row: str
    column: str
    published: str | None
    corrected: float | None
    simulated: float
    low: float
    high: float
    role: Role
    unit: str
    note: str = ""
    at: int = 0
    band: Band | None = None

    @property
    def error(self) -> float | None:
        """Relative error of the simulated value, a fraction; None if nothing was measured."""
        return None if self.corrected is None else self.simulated / self.corrected - 1

    def to_json(self) -> dict[str, Any]:
        """The cell in ``locklab paper reproduce --json``."""
        document = {**asdict(replace(self, band=None)), "error": self.error}
        del document["at"], document["band"]
        return document | ({} if self.band is None else self.band.columns())


@dataclass(frozen=True, slots=True)
class Report:
    """The simulated values in the source's own format.

    Arguments:
        format: such as ``lockmeter``. text: the report's text.
    """

    format: str
    text: str


@dataclass(frozen=True)
class Reproduction:
    """A whole experiment, simulated.

    Arguments:
        experiment, title, source: its name, its title, and its publication.
        machine: the profile's name.
        parameters: every value that the simulation used, with source and role.
        cells: the table. complete: whether every cell was simulated.
        extra: further keys of the JSON document.
        notes: further findings, one sentence each.
        report: the simulated values in the source's own format, if that has a name.
        banded: what the cells' bands hold, in words; empty if they have none.
    """

    experiment: str
    title: str
    source: str
    machine: str
    parameters: list[Parameter]
    cells: list[Cell]
    complete: bool = True
    extra: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    report: Report | None = None
    banded: str = ""

    def summary(self) -> dict[str, Any]:
        """Numbers of fitted parameters and predicted cells, and the errors of the latter."""
        errors = [abs(c.error) for c in self.cells if c.role == "predicted" and c.error is not None]
        return {
            "fitted": sum(p.role == "fitted" for p in self.parameters),
            "predicted": sum(c.role == "predicted" for c in self.cells),
            "mean_abs_error": sum(errors) / len(errors) if errors else None,
            "worst_abs_error": max(errors, default=None),
        }

    def to_json(self) -> dict[str, Any]:
        """The stable schema of ``locklab paper reproduce --json``."""
        from locksim.papers import factors

        return {
            "experiment": self.experiment,
            "machine": self.machine,
            "parameters": [
                {
                    "name": p.name,
                    "value": p.value,
                    "unit": p.unit,
                    "source": p.source,
                    "role": p.role,
                }
                for p in self.parameters
            ],
            "cells": [c.to_json() for c in self.cells],
            "summary": self.summary(),
            "title": self.title,
            "source": self.source,
            "complete": self.complete,
            "notes": self.notes,
            "factors": [asdict(one) for one in factors.of(self)],
            **({} if self.report is None else {"report": asdict(self.report)}),
            **({"bands": self.banded} if self.banded else {}),
            **self.extra,
        }


@dataclass(frozen=True)
class Plan(Generic[Key, Result]):
    """An experiment that is ready to run.

    Arguments:
        jobs: by key, such as a cell's row and column; in the order of the table.
        assemble: makes the table of the results so far, by the same keys. If they are too few
            for a table, it raises ``KeyboardInterrupt``, since only Ctrl-C leads there.
    """

    jobs: Mapping[Key, Job[Result]]
    assemble: Callable[[Mapping[Key, Result]], Reproduction]

    def run(self, run: Runner, progress: Progress | None = None) -> Reproduction:
        """Run all jobs; after Ctrl-C, make the table of the finished ones.

        Arguments:
            run: the runner. progress: called with the running job's title and the fraction done.
        """
        report = progress or (lambda text, fraction: None)
        run.start(self.jobs.values())
        try:
            return self.assemble({key: run(job, report) for key, job in self.jobs.items()})
        except KeyboardInterrupt:
            done = {key: run(job) for key, job in self.jobs.items() if run.ready(job)}
            if not done:
                raise
        partly = replace(self.assemble(done), complete=False)
        if not partly.cells:
            raise KeyboardInterrupt
        return partly


class Experiment(ABC):
    """A published result that can be simulated.

    ``year`` is that of the publication; None where none is printed. ``machine`` is the profile's
    name. ``brief`` are options of :meth:`plan` that shorten it, where it takes minutes otherwise.
    ``replications`` are its runs for each cell, where bands cost less than these: one run is
    the base, and the others but one are draws (:mod:`locksim.study.bands`). 0: no bands unless
    they are asked for.
    """

    name: str
    title: str
    year: int | None
    machine: str
    brief: ClassVar[Mapping[str, Any]] = {}
    replications: ClassVar[int] = 0

    @abstractmethod
    def plan(self, **options: Any) -> Plan[Any, Any]:
        """The jobs and their table; each experiment has its own options."""

    @abstractmethod
    def plot(self, result: Reproduction) -> Plot:
        """The plot of a result."""

    def reproduce(
        self, *, run: Runner | None = None, progress: Progress | None = None, **options: Any
    ) -> Reproduction:
        """Simulate every cell.

        Arguments:
            run: the runner; this process by default.
            progress: called with the running job's title and the fraction done.
            options: those of the experiment's :meth:`plan`.
        """
        return self.plan(**options).run(run or Runner(), progress)
