"""A published result to be simulated, and what that gives: cells with honest roles, all parameters.

An experiment is a :class:`Plan`: jobs that need nothing of each other, and how a table is made of
their results. So one process or several can perform it, and what had been finished when somebody
pressed Ctrl-C makes a smaller table.

A cell is *input* if a parameter was set from it (it proves nothing), *fitted* if a fit has seen it,
and *predicted* if nothing has. Errors are fractions of the understood value, and only predicted
cells count in the summary.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from locksim.machine import Parameter
from locksim.study.jobs import Job, Runner

Role = Literal["input", "fitted", "predicted"]
Progress = Callable[[str, float], None]
Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class ExperimentError(Exception):
    """An experiment that does not exist, or can not be run as asked."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a published table beside its simulation.

    Arguments:
        row, column: its place in the table.
        published: as printed, or None. understood: the corrected value, or None where nothing was
            measured.
        simulated: the mean over replications; low, high: its 95 % interval.
        role: whether anything has seen the understood value.
        unit: of understood and simulated.
        note: a word or two that the cell needs, such as what its bottleneck is.
        at: its place on the axis of a curve, such as a number of CPUs; not part of the JSON.
    """

    row: str
    column: str
    published: str | None
    understood: float | None
    simulated: float
    low: float
    high: float
    role: Role
    unit: str
    note: str = ""
    at: int = 0

    @property
    def error(self) -> float | None:
        """Relative error of the simulated value, a fraction; None where nothing was measured."""
        return None if self.understood is None else self.simulated / self.understood - 1

    def to_json(self) -> dict[str, Any]:
        """The cell in ``locklab reproduce --json``."""
        document = {**asdict(self), "error": self.error}
        del document["at"]
        return document


@dataclass(frozen=True, slots=True)
class Report:
    """What was simulated, in the format in which the source printed what it had measured.

    Arguments:
        format: such as ``lockmeter``. text: as it would be printed.
    """

    format: str
    text: str


@dataclass(frozen=True)
class Reproduction:
    """A whole experiment, simulated.

    Arguments:
        experiment, title, source: which, in words, and where it was published.
        machine: the profile's name.
        parameters: every figure that the simulation used, with source and role.
        cells: the table. complete: whether every cell was simulated.
        extra: further keys of the JSON document.
        notes: further findings, one sentence each.
        report: the simulated figures in the source's own format, if that has a name.
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

    def summary(self) -> dict[str, Any]:
        """Counts of fitted parameters and predicted cells; the predicted cells' errors."""
        errors = [abs(c.error) for c in self.cells if c.role == "predicted" and c.error is not None]
        return {
            "fitted": sum(p.role == "fitted" for p in self.parameters),
            "predicted": sum(c.role == "predicted" for c in self.cells),
            "mean_abs_error": sum(errors) / len(errors) if errors else None,
            "worst_abs_error": max(errors, default=None),
        }

    def to_json(self) -> dict[str, Any]:
        """The stable schema of ``locklab reproduce --json``."""
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
            **({} if self.report is None else {"report": asdict(self.report)}),
            **self.extra,
        }


@dataclass(frozen=True)
class Plan(Generic[Key, Result]):
    """An experiment that is ready to run.

    Arguments:
        jobs: by key, such as a cell's row and column; in the order of the table.
        assemble: makes the table of the results so far, by the same keys. Where they are too few
            for any table, it raises ``KeyboardInterrupt``: that is how a run gets there.
    """

    jobs: Mapping[Key, Job[Result]]
    assemble: Callable[[Mapping[Key, Result]], Reproduction]

    def run(self, run: Runner, progress: Progress | None = None) -> Reproduction:
        """Perform all jobs. After Ctrl-C: what was finished, if anything was.

        Arguments:
            run: where. progress: called with what is running and the fraction done.
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

    ``brief`` are options of :meth:`plan` that shorten it, where it takes minutes otherwise.
    """

    name: str
    title: str
    brief: ClassVar[Mapping[str, Any]] = {}

    @abstractmethod
    def plan(self, **options: Any) -> Plan[Any, Any]:
        """What to simulate; an experiment's fit is done here. The options are its own, and any."""

    @abstractmethod
    def plot(self, result: Reproduction, path: Path) -> str:
        """Save a plot; gives its alternative text."""

    def reproduce(
        self, *, run: Runner | None = None, progress: Progress | None = None, **options: Any
    ) -> Reproduction:
        """Simulate every cell.

        Arguments:
            run: where; in this process by default.
            progress: called with what is running and the fraction done.
            options: those of the experiment's :meth:`plan`.
        """
        return self.plan(**options).run(run or Runner(), progress)
