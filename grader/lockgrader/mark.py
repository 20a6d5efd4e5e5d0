"""What a person decides about a check: marks for an answer in words, or other points with a reason.

A mark is a line of ``marks.jsonl`` in the student's folder; nothing there is changed or removed.
The latest mark of a check holds, and one without points takes the earlier ones back. A mark belongs
to one submission: work that is handed in later begins without any. Results are made again from the
grader's verdicts and these lines (:func:`lockgrader.result.keep`), so a batch that grades the same
submission again keeps them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lockgrader import clock
from lockgrader.files import ResultError, read, reported, write
from lockui.formats import other_format

MARKS = "marks.jsonl"
_Document = TypeVar("_Document", bound=BaseModel)
_Points = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1000)]
_Line = Annotated[str, Field(min_length=1, max_length=4000)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class Mark(_Model):
    """A person's decision about one check of one submission.

    Arguments:
        check: its name. points: instead of the grader's; None takes earlier marks back.
        reason: for the student to read. by: who decided. at: when, ISO 8601 in UTC.
        submission_sha256: of the submission that it is about.
    """

    format: Literal[2] = 2
    check: _Line
    points: _Points | None
    reason: _Line
    by: _Line
    at: str = Field(default_factory=lambda: clock.now().isoformat(timespec="seconds"))
    submission_sha256: str


class Late(_Model):
    """When a submission was due and came, and what that costs.

    Arguments:
        due, handed_in: ISO 8601. days: late, begun ones count. excused: of these, by the policy
            or an accommodation. share: of the points that is left, 0 to 1.
    """

    due: str
    handed_in: str
    days: Annotated[int, Field(ge=0)]
    excused: Annotated[int, Field(ge=0)]
    share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

    def __str__(self) -> str:
        """In words, for a student."""
        if not self.days:
            return "in time"
        days = f"{self.days} day{'s' * (self.days > 1)} late"
        excused = f", {self.excused} of them excused" if self.excused else ""
        return f"{days}{excused}: {100 * (1 - self.share):g} % of the points deducted"


def read_marks(folder: Path) -> list[Mark]:
    """All marks in a student's folder, oldest first."""
    return read_lines(folder / MARKS, Mark)


def read_lines(path: Path, kind: type[_Document]) -> list[_Document]:
    """A file of one JSON document a line, if it exists; a line that a crash cut off is left out.

    Arguments:
        path: the file. kind: of the documents, with a field ``format``.

    Raises:
        ResultError: the file cannot be read, or a line is another document, as of another format.
    """
    found = []
    with reported(path, "read"):
        text = read(path)
    for number, line in enumerate(text.split("\n"), start=1):  # texts may hold other ends of lines
        try:
            document = json.loads(line)
            other = other_format(document, kind.model_fields["format"].default)
            if other:
                raise ResultError(f"{path}:{number}: {other}\nhelp: use the version that wrote it")
            found.append(kind.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise ResultError(
                f"{path}:{number}: {place}: {first['msg']}\n"
                "help: take the file from your backup, or correct the line"
            ) from error
        except ValueError:  # not JSON: cut off
            continue
    return found


def add_mark(folder: Path, mark: Mark) -> None:
    """Append a mark to a student's folder; it is on disk when this returns.

    Raises:
        OSError: the folder cannot be written.
    """
    path = folder / MARKS
    before = read(path)
    cut = "\n" if before and not before.endswith("\n") else ""  # by a crash; it is lost alone
    write(path, f"{before}{cut}{mark.model_dump_json()}\n")


def holding(marks: list[Mark], submission_sha256: str) -> dict[str, Mark]:
    """Check → the mark that holds for a submission."""
    held = {m.check: m for m in marks if m.submission_sha256 == submission_sha256}
    return {name: m for name, m in held.items() if m.points is not None}
