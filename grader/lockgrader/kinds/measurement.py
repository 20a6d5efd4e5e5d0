"""A student's own measurement, with its provenance.

The file is what ``locklab native bench --out`` wrote. No speed earns anything: what counts is that
the measurement was made properly, and that there is a prediction of it.

The prediction comes first. At home this check locks it when it runs, with the time, and shows it
beside a measurement that began later. A file that was edited or made up contradicts itself
(:mod:`locknative.benchmark.consistency`) and earns nothing. What this cannot find: the file of
another student, and one made up by a program that knows all of these rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, ValidationError

from lockgrader.check import Check
from lockgrader.finding import Finding, found, row
from lockgrader.interval import WIDEST, Widest, impossible
from lockgrader.lab import Band
from lockgrader.lab.closed import Closed, Text
from lockgrader.read.record import RECORD, Locked
from lockgrader.sandbox import Profile
from lockui.formats import other_format

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted
    from locknative.benchmark.measurement import Measurement as Measured

__all__ = ["Cell", "Measurement"]

MOST_TRIALS = 1000
"""More are never made in one measurement of a lab."""


class Cell(Closed):
    """What must have been measured: a kernel, threads, and the times of the load."""

    kernel: Text
    threads: Annotated[int, Field(ge=1, le=1024)]
    hold_ns: Annotated[int, Field(ge=0)] = 0
    think_ns: Annotated[int, Field(ge=0)] = 0


class Measurement(Check):
    """A measurement of the student's own, made properly, and predicted before.

    Arguments:
        file: of the submission, from ``locklab native bench … --out FILE``. The lab names it in
            ``data``.
        cell: what must be in it. trials: undisturbed ones, at least.
        width: half of the 95 % interval over the median, at most.
        answer: the prediction of the time between two sections on one thread, in ns; "" for none.
        widest: how many times the lower end of the prediction the upper one may be.
    """

    kind: Literal["measurement"]
    file: Text
    cell: Cell
    trials: Annotated[int, Field(ge=6, le=1000)] = 10
    width: Annotated[float, Field(gt=0, le=1)] = 0.05
    answer: str = ""
    widest: Widest = WIDEST

    @property
    def asks(self) -> tuple[str, ...]:
        """The prediction."""
        return (self.answer,) if self.answer else ()

    @property
    def own_predictions(self) -> tuple[str, ...]:
        """The prediction: it is the student's own, so it waits for no other."""
        return self.asks

    def impossible(self, name: str, given: Sequence[float]) -> str:
        """Why the prediction of a time cannot be right, or says nothing."""
        return impossible(name, given, Band(low=0.0), self.widest)

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Judge how it was measured, and show how well it was predicted."""
        if self.answer and (why := self.impossible(self.answer, submitted.numbers(self.answer))):
            return Finding("malformed_output", 0.0, why)
        locked = submitted.locked.get(self.answer)
        data = submitted.files.get(self.file)
        if data is None or data.split() in ([], [b"{}"]):
            says = f"{self.file} {'is not in the submission' if data is None else 'is empty'}"
            says = f"your prediction is locked; {says}: measure now" if locked else says
            return Finding("no_output", 0.0, says, tag="missing")
        from locknative.benchmark.measurement import Measurement as Measured

        try:
            made = Measured.model_validate_json(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))[:80]
            says = other_format(data, 1) or f"{where}: {first['msg']}"
            return Finding("malformed_output", 0.0, f"{self.file}: {says}"[:300])
        wrong = _wrong(made)
        if wrong:
            says = f"{self.file} is not what 'locklab native bench' wrote: {wrong}; measure again"
            return Finding("fail", 0.0, says[:1000], tag="contradicts")
        wanted = self.cell.model_dump()
        fitting = [
            number
            for number, cell in enumerate(made.cells)
            if all(getattr(cell, name) == value for name, value in wanted.items())
        ]
        if not fitting or not made.of(fitting[0]):
            message = f"{self.file} holds no measurement of {_words(self.cell)}"
            return Finding("fail", 0.0, message, tag="another-cell")
        good = [t for t in made.of(fitting[0]) if not t.rejected]
        value = made.ns_per_operation(fitting[0])
        narrow = Band(high=self.width, fade=1.0)
        width = row("half width of the interval", value.half_width, narrow)
        if not good:  # then the interval is that of the disturbed trials
            width = width.model_copy(update={"share": 0.0, "says": "no undisturbed trial"})
        trials = row("undisturbed trials", len(good), Band(low=self.trials, fade=1.0))
        rows = [trials, width]
        warnings = "; ".join(made.provenance.warnings) or "none"
        machine = made.provenance.cpu_model
        message = f"median {value.median:.4g} ns on {machine}; warnings: {warnings}"
        if self.answer:
            message = f"{message}; {_predicted(locked, made.began, value.median)}"
        return found(rows, message)


def _predicted(locked: Locked | None, began: str, right: float) -> str:
    """The locked prediction beside the result, in words."""
    if locked is None or len(locked.values) != 2:
        return f"no {RECORD} shows a prediction that was locked before it"
    at = locked.at if locked.at.tzinfo else locked.at.replace(tzinfo=UTC)
    if datetime.fromisoformat(began) < at.replace(microsecond=0):
        return f"it began at {began}, before the prediction was locked at {at:%Y-%m-%d %H:%M}"
    low, high = locked.values
    return f"the interval {low:g} to {high:g} {'holds' if low <= right <= high else 'misses'} it"


def _wrong(made: Measured) -> str:
    """Why a measurement cannot be one; "" if nothing speaks against it."""
    from locknative.benchmark.consistency import contradictions

    if len(made.trials) > MOST_TRIALS:
        return f"it has more than {MOST_TRIALS} trials"
    try:
        return next(contradictions(made), "")
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return f"its values cannot be computed with ({error})"


def _words(cell: Cell) -> str:
    times = f"hold {cell.hold_ns} ns, think {cell.think_ns} ns"
    return f"{cell.kernel} with {cell.threads} threads ({times})"
