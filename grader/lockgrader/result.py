"""What a grading leaves behind: one ``result.json`` a student, and the rules for keeping it.

A result explains itself: which versions graded, the hashes of what was graded, every seed, the
number behind each verdict, and the command that does it again. Nothing in it depends on the clock
or on the load of the machine but :attr:`Result.measured`, which no verdict looks at.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

__all__ = [
    "ELSEWHERE",
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
    "replaces",
    "write",
    "write_bytes",
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
"""``ungradable``: the format is wrong, no attempt is lost. ``skipped``: a check that this one
depends on has failed. ``grader_error``: ours; no points are lost, and it is kept for a re-run."""
VERDICTS: tuple[str, ...] = get_args(Verdict)

ELSEWHERE = "right for another machine than yours"
"""What is said of a wrong answer that is right with another student's variant."""
RESULT, HISTORY = "result.json", "history.jsonl"
Finite = Annotated[float, Field(allow_inf_nan=False)]
Points = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e6)]


class ResultError(Exception):
    """A result that can not be read or kept; the message says why."""

    exit_code = 2


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Row(_Model):
    """A line of the table that explains a number.

    Arguments:
        what: what was compared, with its unit. got: the submission's value.
        low, high: what is right; None where that end is open.
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
    """A measured curve beside what is right.

    Arguments:
        what: what was measured. unit: its unit, "" for a bare number.
        x: numbers of CPUs. y: what was measured there.
        low, high: the band that is right at each x; empty where that side is open.
        reference: what the curve is compared with, at each x; empty where there is nothing.
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
        name: the check's in the lab. title: for people. public: whether students see it before.
        revealed: whether students may see title, points and numbers of a hidden check afterwards.
        verdict: one of VERDICTS. points, max_points: earned and possible.
        message: what happened, and why. rows: the numbers. hint: the next step, or "".
        curve: what was measured at several numbers of CPUs, or None.
        misconception: the name of what is probably believed, or "".
        counterexample: what the checker found, JSON-ready, or None.
        answer: what was answered in words, for the instructor.
        elsewhere: other variants for which a wrong answer is right, for the instructor.
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
    counterexample: dict[str, Any] | None = None
    curve: Curve | None = None
    answer: str = ""
    elsewhere: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> CheckResult:
        if self.points > self.max_points:
            raise ValueError(f"{self.name}: {self.points} of {self.max_points} points")
        if self.verdict == "pass" and self.points != self.max_points:
            raise ValueError(f"{self.name}: passed with {self.points} of {self.max_points} points")
        if self.verdict not in ("pass", "partial") and self.points:
            raise ValueError(f"{self.name}: {self.points} points for {self.verdict}")
        return self


class Result(_Model):
    """A submission's grading.

    Arguments:
        format: of this document. lab, student: who and what.
        submission_sha256, lab_sha256: of what was graded, and of what it was graded with.
        files: name of each file that was graded → sha256.
        versions: package → version. seeds: what → seed. variant: the student's own values.
        checks: in the lab's order. complete: False while checks are still to come.
        replay: the command that grades this submission again.
        measured: time and memory, for the operator; no verdict looks at it.
    """

    format: Literal[1] = 1
    lab: str
    student: str
    submission_sha256: str
    lab_sha256: str
    files: dict[str, str] = Field(default_factory=dict)
    versions: dict[str, str]
    seeds: dict[str, int]
    variant: dict[str, str | int] = Field(default_factory=dict)
    checks: tuple[CheckResult, ...]
    complete: bool
    replay: str
    measured: dict[str, Finite] = Field(default_factory=dict)

    @property
    def points(self) -> float:
        """Points earned."""
        return sum(c.points for c in self.checks)

    @property
    def max_points(self) -> float:
        """Points that could be earned."""
        return sum(c.max_points for c in self.checks)

    @property
    def errors(self) -> list[CheckResult]:
        """Checks that failed through our own fault."""
        return [c for c in self.checks if c.verdict == "grader_error"]

    @property
    def sound(self) -> bool:
        """Whether grading came to its end, and nothing of ours failed on the way."""
        return self.complete and not self.errors

    def decided(self) -> dict[str, Any]:
        """All of it but what depends on the machine and the hour: equal for equal submissions."""
        return self.model_dump(mode="json", exclude={"measured"})

    def to_json(self) -> str:
        """The document, with the sums that readers want first."""
        document = {"points": self.points, "max_points": self.max_points}
        return json.dumps(document | self.model_dump(mode="json"), indent=2, allow_nan=False) + "\n"


def load(folder: Path) -> Result | None:
    """The result that a folder holds, None if it holds none.

    Raises:
        ResultError: there is a file, and it is no result.
    """
    path = folder / RESULT
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ResultError(
            f"{path} can not be read: {error}; move it away and grade again"
        ) from error
    try:
        document.pop("points", None)
        document.pop("max_points", None)
        return Result.model_validate_json(json.dumps(document))
    except (ValidationError, AttributeError, TypeError) as error:
        raise ResultError(
            f"{path} is no result: {error}\nhelp: move it away and grade again"
        ) from error


def history(folder: Path) -> list[Result]:
    """All results that a folder's history holds, oldest first; a line that is none is left out."""
    path = folder / HISTORY
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(ValidationError):
            found.append(Result.model_validate_json(line))
    return found


def keep(folder: Path, result: Result) -> Result:
    """Write a result as the folder's, and to its history; say which one stands.

    A file is complete or not there, whenever the power fails. A result in which the grader itself
    has failed, or that is not complete, replaces no complete one with as many points: it goes to
    the history only. The history holds each complete result once.

    Raises:
        ResultError: the folder can not be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            before = load(folder)
            if result.complete:
                _remember(folder / HISTORY, result)
            if before is not None and not replaces(result, before.sound):
                return before
            write(folder / RESULT, result.to_json())
            return result
    except OSError as error:
        raise ResultError(f"{folder} can not be written: {error.strerror}; name another") from error


def write(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, and a crash leaves either."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """As :func:`write`, for what is no text."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    folder = os.open(path.parent, os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def replaces(new: Result, sound_before: bool) -> bool:
    """Whether a result takes an earlier one's place: always, but an unsound one no sound one's."""
    return new.sound or not sound_before


def _remember(path: Path, result: Result) -> None:
    """Add a line to the history, unless the same was decided the last time."""
    line = json.dumps(result.decided(), allow_nan=False, sort_keys=True)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    whole = [one for one in lines if _is_json(one)]  # a crash may have cut the last one
    if not whole or whole[-1] != line:
        write(path, "\n".join([*whole, line]) + "\n")


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One writer at a time; the lock goes with its process."""
    with open(folder / ".lock", "w") as file:
        flock(file, LOCK_EX)
        yield
