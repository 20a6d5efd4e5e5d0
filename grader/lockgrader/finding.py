"""The finding of a check, and how the error of a number becomes a share of the points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from lockgrader.lab import Band, LabError
from lockgrader.lab.expected import FormulaError
from lockgrader.result import Curve, Row, Verdict
from lockui.numbers import significant

__all__ = [
    "KEPT",
    "Finding",
    "Operation",
    "Settled",
    "fault",
    "found",
    "near",
    "row",
    "shares",
    "undecided",
    "veiled",
]

NEAR, FAR = 1.25, 3.0
"""Ratios up to which a wrong number is a little off, or off by some part."""
UNITS = {
    60.0: "is the unit right?",
    100.0: "a fraction or per cent?",
    1e3: "is the unit right?",
    1e6: "is the unit right?",
}
"""A number that is off by such a factor often has another unit."""
KEPT = "kept for the instructor"
"""What is said of an answer in words that is as it should be."""
UNIT_SLACK = 1.1

Operation = tuple[str, int, int]
"""``Class.method``, the instruction's number in it, and its line."""


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Arguments:
        verdict: one of the closed set. share: of the points, 0 to 1.
        message: the reason. rows: the numbers. tag: one word for the mistake, known to the lab.
        counterexample: JSON-ready, or None. curve: the measured curve, or None.
        answer: an answer in words, for the instructor.
        reached: the operations of the submission that a proof has reached.
        violation: the class of the submission that is wrong in this run, beyond the fresh memory
            of a proof (:mod:`lockgrader.judging.violated`); "" if none is.
        far: the first wrong number is off by a factor above ``FAR``, and its unit is right.
        changed: how a prediction was changed after the first measurement, or "".
        score: on the leader board, or None.
    """

    verdict: Verdict
    share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0
    message: str = ""
    rows: tuple[Row, ...] = ()
    tag: str = ""
    counterexample: dict[str, Any] | None = None
    curve: Curve | None = None
    answer: str = ""
    reached: frozenset[Operation] = frozenset()
    violation: str = ""
    far: bool = False
    changed: str = ""
    score: Annotated[float, Field(allow_inf_nan=False)] | None = None

    def __post_init__(self) -> None:
        if self.verdict == "pass" and self.share != 1.0:
            raise ValueError(f"passed with a share of {self.share}")
        if self.verdict not in ("pass", "partial") and self.share:
            raise ValueError(f"a share of {self.share} for {self.verdict}")


class Settled(Exception):
    """A check's finding before its end: a class or an answer is missing, or a run does not count.

    Arguments:
        finding: of the check.
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def fault(error: Exception, violation: str = "") -> Finding:
    """The finding of an error that a submission can cause; another one is raised again.

    LinkError, CheckError, SimulationError and so on are such errors. An unknown name comes from the
    lab, not from the user.

    Arguments:
        error: what was raised. violation: the class that it shows to be wrong, or "".
    """
    from locksim.library.registry import UnknownNameError
    from locksim.machine import MachineError

    ours = isinstance(error, LabError | FormulaError | UnknownNameError | MachineError)
    if ours or getattr(error, "exit_code", None) != 2:
        raise error
    return Finding("fail", 0.0, str(error)[:4000], tag="fault", violation=violation)


def undecided(what: str, why: str) -> Finding:
    """A check that was stopped by a guard or a lack of room, neither of which decides a mark.

    Arguments:
        what: was stopped. why: a sentence without its period.
    """
    return Finding("grader_error", message=f"{what}: not decided, and no points are lost: {why}")


def found(rows: Sequence[Row], message: str = "") -> Finding:
    """The finding of a table of rows: its share is the mean of theirs."""
    share = math.fsum(r.share for r in rows) / len(rows) if rows else 0.0
    if all(r.share == 1.0 for r in rows):
        return Finding("pass", 1.0, message, tuple(rows))
    wrong = next(r for r in rows if r.share < 1.0)
    says = message or f"{wrong.what}: {wrong.says}"
    tag = wrong.says.partition(",")[0].replace(" ", "-")
    if share == 0.0:
        return Finding("fail", 0.0, says, tuple(rows), tag)
    return Finding("partial", share, says, tuple(rows), tag)


def row(what: str, got: float, band: Band) -> Row:
    """A number beside the right band, with its share of the points. NaN is never right."""
    if not math.isfinite(got):
        return Row(what=what, got=None, low=band.low, high=band.high, says="not a finite number")
    share, says = shares(got, band)
    return Row(what=what, got=got, low=band.low, high=band.high, says=says, share=share)


def near(what: str, got: float, right: float, tolerance: float, fade: float) -> Row:
    """A number beside the right one, as :func:`row` has it.

    Arguments:
        what: its name. got, right: the two. tolerance: of the right one, as a fraction.
        fade: as in :class:`~lockgrader.lab.Band`.
    """
    slack = abs(right) * tolerance
    return row(what, got, Band(low=right - slack, high=right + slack, fade=fade))


def veiled(made: Finding) -> Finding:
    """The finding of numbers that are to be found out, without the right ones.

    Students can try again, so a message that shows the right number would hand it out. It says in
    which direction a number is off, and roughly how far; of an exact one, that it is wrong.

    Arguments:
        made: as :func:`found` made it, without a message of its own.
    """
    rows = tuple(map(_veiled, made.rows))
    first = next((k for k, one in enumerate(rows) if one.share < 1.0), None)
    if first is None:
        return replace(made, rows=rows, message="")
    message = f"{rows[first].what}: {rows[first].says}"
    return replace(made, rows=rows, message=message, far=_ratio(made.rows[first]) > FAR)


def _veiled(one: Row) -> Row:
    if one.share == 1.0:
        return one
    says = one.says
    if one.got is not None and one.low is not None and one.high is not None:
        side = "small" if one.got < one.low else "big"
        says = f"too {side}{_off(one)}" if one.low < one.high else "not the right number"
    return one.model_copy(update={"low": None, "high": None, "says": says})


def _off(one: Row) -> str:
    """Roughly how far a number is from the right ones, which it is not among."""
    if unit := _unit(one):
        return f", by a factor of about {unit:,.0f}: {UNITS[unit]}"
    ratio = _ratio(one)
    if not ratio:
        return ""
    if ratio < NEAR:
        return ", a little"
    return f", by a factor {'above' if ratio > FAR else 'below'} {FAR:g}"


def _ratio(one: Row) -> float:
    """How many times a wrong number is too big or too small; 0 for another unit, or sign."""
    if one.got is None or one.low is None or one.high is None or _unit(one):
        return 0.0
    edge = one.low if one.got < one.low else one.high
    return max(one.got / edge, edge / one.got) if one.got * edge > 0 else 0.0


def _unit(one: Row) -> float:
    """The factor between the units of a wrong number and of the right ones; 0 if there is none."""
    if one.got is None or one.low is None or one.high is None:
        return 0.0
    least, most = sorted((abs(one.low), abs(one.high)))
    for unit in UNITS:
        other = abs(one.got * unit if one.got < one.low else one.got / unit)
        if least / UNIT_SLACK < other < most * UNIT_SLACK and one.got * (one.low + one.high) > 0:
            return unit
    return 0.0


def shares(got: float, band: Band) -> tuple[float, str]:
    """The share of the points that a number earns, and the reason in words."""
    if band.low is not None and got < band.low:
        off, end, says = band.low - got, band.low, "too small"
    elif band.high is not None and got > band.high:
        off, end, says = got - band.high, band.high, "too big"
    else:
        return 1.0, "right"
    reach = band.fade * abs(end)
    share = max(0.0, 1.0 - off / reach) if reach > 0 else 0.0
    return share, f"{says}, by {significant(off)}"
