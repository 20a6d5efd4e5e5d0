"""The result of a grading: one ``result.json`` for each student, and the rules for keeping it.

A result is complete in itself. It holds the versions, the hashes of all inputs, every seed, the
numbers behind each verdict and the command that grades again. Only :attr:`Result.measured` depends
on the clock or on the load of the machine, and no verdict depends on it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from lockgrader.files import ResultError, alone, read, reported, write
from lockgrader.mark import Late, Mark, add_mark, holding, read_lines, read_marks
from lockui.formats import other_format
from lockui.suggest import did_you_mean

__all__ = [
    "FITS_OTHER",
    "VERDICTS",
    "CheckResult",
    "Curve",
    "Result",
    "ResultError",
    "Row",
    "Verdict",
    "history",
    "keep",
    "load",
    "marked",
    "remember",
    "replaces",
]

Verdict = Literal[
    "pass",
    "partial",
    "fail",
    "student_error",
    "timeout_cpu",
    "timeout_wall",
    "out_of_memory",
    "output_limit",
    "forbidden_operation",
    "no_output",
    "malformed_output",
    "ungradable",
    "skipped",
    "grader_error",
]
"""``ungradable``: the format is wrong; no attempt is lost. ``skipped``: a check that this one needs
has failed. ``grader_error``: an internal error; no points are lost, and the check is run again."""
VERDICTS: tuple[str, ...] = get_args(Verdict)

FITS_OTHER = "right with other values of variant.toml"
"""Added to the message of a wrong answer that is right for another variant: a wrong machine, a
slip that hits one of the other values by chance, or another student's answer."""
RESULT, HISTORY = "result.json", "history.jsonl"
Finite = Annotated[float, Field(allow_inf_nan=False)]
Points = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e6)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class Row(_Model):
    """A row of the table that explains a number.

    Arguments:
        what: the quantity, with its unit. got: the submission's value.
        low, high: the right band; None for an open end.
        says: "right", "too big, by 3.2", …
        share: of this row's points, 0 to 1.
    """

    what: str
    got: Finite | None
    low: Finite | None = None
    high: Finite | None = None
    says: str
    share: Finite = 0.0


class Curve(_Model):
    """A measured curve beside the right band.

    Arguments:
        what: the quantity. unit: its unit, "" for a plain number.
        x: numbers of CPUs. y: the value at each.
        low, high: the right band at each x; empty for an open side.
        reference: the curve to compare with; empty for none.
        name, reference_name: of the two curves.
    """

    what: str
    unit: str
    name: str
    x: tuple[int, ...]
    y: tuple[Finite, ...]
    low: tuple[Finite, ...] = ()
    high: tuple[Finite, ...] = ()
    reference: tuple[Finite, ...] = ()
    reference_name: str = ""

    @model_validator(mode="after")
    def _equally_long(self) -> Curve:
        for values in (self.y, self.low, self.high, self.reference):
            if len(values) not in (0, len(self.x)):
                raise ValueError(f"{len(values)} values for {len(self.x)} numbers of CPUs")
        return self


class CheckResult(_Model):
    """One check's verdict.

    Arguments:
        name: the check's in the lab. title: for people. public: whether students see the check.
        revealed: whether students see title, points and numbers of a hidden check afterwards.
        verdict: one of VERDICTS. points, max_points: earned and possible.
        message: what happened and why. rows: the numbers. hint: the next step, or "".
        curve: the measured curve, or None.
        misconception: a belief that may be behind the mistake, or "".
        truth: its correction. see: where to read on.
        counterexample: of the checker, JSON-ready, or None.
        answer: an answer in words, for the instructor.
        elsewhere: other variants for which a wrong answer is right, for the instructor.
        changed: how a prediction was changed after the first measurement, or "".
        score: on the leader board, or None.
        mark: a person's, whose points count; None for none.
        graded: the grader's points, earned and possible, where there is a mark.
    """

    name: str
    title: str
    public: bool = True
    revealed: bool = False
    verdict: Verdict
    points: Points
    max_points: Points
    message: str = ""
    rows: tuple[Row, ...] = ()
    hint: str = ""
    misconception: str = ""
    truth: str = ""
    see: str = ""
    counterexample: dict[str, Any] | None = None
    curve: Curve | None = None
    answer: str = ""
    elsewhere: tuple[str, ...] = ()
    changed: str = ""
    score: Finite | None = None
    mark: Mark | None = None
    graded: tuple[Points, Points] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> CheckResult:
        if self.points > self.max_points:
            raise ValueError(f"{self.name}: {self.points} of {self.max_points} points")
        if self.mark is not None:
            return self
        if self.verdict == "pass" and self.points != self.max_points:
            raise ValueError(f"{self.name}: passed with {self.points} of {self.max_points} points")
        if self.verdict not in ("pass", "partial") and self.points:
            raise ValueError(f"{self.name}: {self.points} points for {self.verdict}")
        return self

    def with_mark(self, mark: Mark | None, by_hand: float = 0.0) -> CheckResult:
        """The check with a person's mark instead of any earlier one; None leaves the grader's.

        Arguments:
            by_hand: points possible for an answer in words, where the grader gives none.
        """
        points, possible = self.graded or (self.points, self.max_points)
        changed: dict[str, Any] = {"points": points, "max_points": possible}
        changed |= {"mark": None, "graded": None}
        if mark is not None and mark.points is not None:
            most = by_hand or possible
            changed = {"points": min(mark.points, most), "max_points": most}
            changed |= {"mark": mark, "graded": (points, possible)}
        return self.model_copy(update=changed)


class Result(_Model):
    """A submission's grading.

    Arguments:
        format: of this document. lab, student: names.
        submission_sha256, lab_sha256: hashes of the submission and of the lab.
        lab_parts: part of the lab → hash, of which ``lab_sha256`` is made: each check by its name,
            and "" for what all share. A check that is graded again alone brings its own.
        files: name of each graded file → sha256.
        versions: package → version. seeds: check → seed. variant: the student's own values.
        by_hand: check → points that a person can give for an answer in words. They count as
            possible whether they are given or not, so that all students are measured alike.
        checks: in the lab's order. complete: False while checks are missing.
        replay: the command that grades this submission again.
        name, section: of the student, by the roster. late: what a late submission costs, by the
            course's policy; None without one. release: when students see points, ISO 8601; "" for
            at once. absent: nothing was handed in, so nothing was graded.
        fingerprints: of each class of the code, to find similar ones.
        measured: time, for the operator; no verdict depends on it.
    """

    format: Literal[2] = 2
    lab: str
    student: str
    submission_sha256: str
    lab_sha256: str
    lab_parts: dict[str, str] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    versions: dict[str, str]
    seeds: dict[str, int]
    variant: dict[str, str | int] = Field(default_factory=dict)
    by_hand: dict[str, Points] = Field(default_factory=dict)
    checks: tuple[CheckResult, ...]
    complete: bool
    replay: str
    name: str = ""
    section: str = ""
    late: Late | None = None
    release: str = ""
    absent: bool = False
    fingerprints: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    measured: dict[str, Finite] = Field(default_factory=dict)

    @property
    def earned(self) -> float:
        """Points earned, before what a late submission costs."""
        return sum(c.points for c in self.checks)

    @property
    def points(self) -> float:
        """Points earned, after what a late submission costs."""
        return self.earned if self.late is None else round(self.earned * self.late.share, 4)

    @property
    def max_points(self) -> float:
        """Points that could be earned, with those that a person has still to give."""
        return self.graded_points + self.unmarked_points

    @property
    def graded_points(self) -> float:
        """Points that the grader, or a mark that stands, could give."""
        return sum(c.max_points for c in self.checks)

    @property
    def unmarked_points(self) -> float:
        """Points that a person could give in checks without a mark."""
        return sum(self.by_hand.get(c.name, 0.0) for c in self.checks if c.mark is None)

    @property
    def errors(self) -> list[CheckResult]:
        """Checks in which the grader itself failed, and for which nobody gave points by hand."""
        return [c for c in self.checks if c.verdict == "grader_error" and c.mark is None]

    @property
    def sound(self) -> bool:
        """Whether the grading is complete and the grader did not fail in any check."""
        return self.complete and not self.errors

    def with_check(self, check: CheckResult, *, seconds: float, complete: bool) -> Result:
        """The result with one more check; the checks in it are not validated again.

        Arguments:
            check: the next in the lab's order. seconds: since the grading began.
            complete: whether it was the last.
        """
        checks, measured = (*self.checks, check), {"seconds": seconds}
        more = {"checks": checks, "measured": measured, "complete": complete}
        return self.model_copy(update=more)

    def with_marks(self, marks: list[Mark]) -> Result:
        """The result with the marks that hold for its submission, and no others."""
        held = holding(marks, self.submission_sha256)
        if not held and not any(c.mark for c in self.checks):
            return self
        checks = tuple(
            c.with_mark(held.get(c.name), self.by_hand.get(c.name, 0.0)) for c in self.checks
        )
        return self.model_copy(update={"checks": checks})

    def most(self, check: CheckResult) -> float:
        """The points that a person can give for a check."""
        return self.by_hand.get(check.name) or (check.graded or (0.0, check.max_points))[1]

    def decided(self) -> dict[str, Any]:
        """The result without what depends on machine and time: equal for equal submissions."""
        return self.model_dump(mode="json", exclude={"measured"})

    def document(self) -> dict[str, Any]:
        """The JSON document; the sums of points come first."""
        sums = {"points": self.points, "max_points": self.max_points}
        return sums | self.model_dump(mode="json")

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.document(), indent=2, allow_nan=False) + "\n"


def load(folder: Path, *, unfinished: bool = True) -> Result | None:
    """The result in a folder, or None.

    Arguments:
        folder: a student's. unfinished: False to return None for a result that is not complete.

    Raises:
        ResultError: there is a file, and it is not a result, or one of another format.
    """
    path = folder / RESULT
    with reported(path, "read"):
        text = read(path)
    if not text and not path.exists():
        return None
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ResultError(
            f"{path} cannot be read: {error}\nhelp: move the file away and grade again"
        ) from error
    if other := other_format(document, Result.model_fields["format"].default):
        raise ResultError(
            f"{path}: {other}\n"
            "help: grade into a new folder, or use the version of LockLab that wrote this one"
        )
    try:
        if not unfinished and document.get("complete") is False:
            return None
        document.pop("points", None)
        document.pop("max_points", None)
        return Result.model_validate_json(json.dumps(document))
    except (ValidationError, AttributeError, TypeError) as error:
        raise ResultError(
            f"{path} is not a result: {error}\nhelp: move it away and grade again"
        ) from error


def history(folder: Path) -> list[Result]:
    """All results in a folder's history, oldest first.

    Raises:
        ResultError: as :func:`lockgrader.mark.read_lines`.
    """
    return read_lines(folder / HISTORY, Result)


def keep(folder: Path, result: Result) -> Result:
    """Write a result to a folder and to its history; return the one that stands.

    The marks in the folder that are about this submission hold. A file is either complete or not
    there, even after a power failure. A result that is incomplete or in which the grader failed
    never replaces a sound one; if complete, it goes to the history only. The history holds each
    complete result once.

    Raises:
        ResultError: the folder cannot be written.
    """
    with _writing(folder):
        return _keep(folder, result)


def marked(folder: Path, mark: Mark) -> Result:
    """Keep a person's mark and the result that follows from it; return that result.

    Raises:
        ResultError: the student has no result of this submission, the result has no such check,
            the points are more than possible, or the folder cannot be written.
    """
    with _writing(folder):
        now = load(folder)
        if now is None or now.absent or now.submission_sha256 != mark.submission_sha256:
            raise ResultError(
                f"{folder.name}: the submission that was marked is not the one that counts now\n"
                "help: look at the new one, and mark that"
            )
        check = next((c for c in now.checks if c.name == mark.check), None)
        if check is None:
            known = did_you_mean(mark.check, [c.name for c in now.checks])
            raise ResultError(f"{folder.name}: unknown check '{mark.check}'; {known}")
        most = now.most(check)
        if mark.points is not None and mark.points > most:
            raise ResultError(
                f"{folder.name}: {mark.check} is worth {most:g} points at most "
                f"(got {mark.points:g})"
            )
        add_mark(folder, mark)
        return _keep(folder, now)


def remember(folder: Path, result: Result) -> None:
    """Add a complete result to a folder's history alone; it does not stand.

    Raises:
        ResultError: the folder cannot be written.
    """
    with _writing(folder):
        _remember(folder / HISTORY, result)


def _keep(folder: Path, result: Result) -> Result:
    result = result.with_marks(read_marks(folder))
    before = load(folder, unfinished=False)  # any result replaces an unfinished one
    if result.complete:
        _remember(folder / HISTORY, result)
    if before is not None and not replaces(result, before.sound):
        return before
    write(folder / RESULT, result.to_json())
    return result


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Be the only writer of a folder.

    Raises:
        ResultError: it cannot be written.
    """
    with reported(folder, "written"), alone(folder):
        yield


def replaces(new: Result, sound_before: bool) -> bool:
    """Whether a result replaces an earlier one: an unsound one never replaces a sound one."""
    return new.sound or not sound_before


def _remember(path: Path, result: Result) -> None:
    """Add a line to the history, unless it equals the last one."""
    line = json.dumps(result.decided(), allow_nan=False, sort_keys=True)
    lines = read(path).splitlines()
    whole = [one for one in lines if _is_json(one)]  # a crash may have cut the last one
    if not whole or whole[-1] != line:
        write(path, "\n".join([*whole, line]) + "\n")


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
