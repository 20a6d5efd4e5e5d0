"""A student's own measurement, with its provenance.

The file is what ``locklab native bench --json`` printed. From afar no value in it can be checked,
so a fast value earns nothing. Two things count: that the measurement was made properly, and how
well the locked prediction of its value fits.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationError

from lockgrader.checks.numeric import interval_score, missing
from lockgrader.checks.submitted import Submitted
from lockgrader.finding import Finding, found, row
from lockgrader.lab import Band, OtherCheck
from lockgrader.lab.closed import Closed, Text

__all__ = ["Cell", "Measurement"]


class Cell(Closed):
    """What must have been measured: a kernel, threads, and the times of the load."""

    kernel: Text
    threads: Annotated[int, Field(ge=1, le=1024)]
    hold_ns: Annotated[int, Field(ge=0)] = 0
    think_ns: Annotated[int, Field(ge=0)] = 0


class Measurement(OtherCheck):
    """A measurement of the student's own, made properly, and predicted before.

    Arguments:
        file: of the submission, from ``locklab native bench … --output FILE``. The lab names it in
            ``data``.
        cell: what must be in it. trials: undisturbed ones, at least.
        width: half of the 95 % interval over the median, at most.
        answer: the prediction of the time between two sections on one thread, in ns; "" for none.
        worst: its interval score, as a fraction of the result, that earns nothing.
    """

    kind: Literal["measurement"]
    file: Text
    cell: Cell
    trials: Annotated[int, Field(ge=6, le=1000)] = 10
    width: Annotated[float, Field(gt=0, le=1)] = 0.05
    answer: str = ""
    worst: Annotated[float, Field(gt=0, le=100)] = 2.0

    @property
    def asks(self) -> tuple[str, ...]:
        """The prediction."""
        return (self.answer,) if self.answer else ()

    def judge(self, submitted: Submitted) -> Finding:
        """Judge how it was measured, and how well it was predicted."""
        data = submitted.files.get(self.file)
        if data is None:
            return Finding("no_output", 0.0, f"{self.file} is not in the submission", tag="missing")
        from locknative.measurement import Measurement as Measured

        try:
            made = Measured.model_validate_json(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))[:80]
            return Finding("malformed_output", 0.0, f"{self.file}: {where}: {first['msg']}"[:300])
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
        rows = [
            row("undisturbed trials", len(good), Band(low=self.trials, fade=1.0)),
            row("half width of the interval", value.half_width, Band(high=self.width, fade=1.0)),
        ]
        if self.answer:
            locked = submitted.locked.get(self.answer)
            if locked is None or len(locked.values) != 2:
                return missing(self.answer, submitted)
            score = interval_score(*locked.values, value.median) / value.median
            name = f"{self.answer}: interval score over the result"
            rows.append(row(name, score, Band(high=self.worst / 10, fade=9.0)))
        warnings = "; ".join(made.provenance.warnings) or "none"
        machine = made.provenance.cpu_model
        message = f"median {value.median:.4g} ns on {machine}; warnings: {warnings}"
        return found(rows, message)


def _words(cell: Cell) -> str:
    times = f"hold {cell.hold_ns} ns, think {cell.think_ns} ns"
    return f"{cell.kernel} with {cell.threads} threads ({times})"
