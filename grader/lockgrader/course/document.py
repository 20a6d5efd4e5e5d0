"""``course.toml``: read once, and refused with the place of a mistake.

Paths in it are relative to its folder. When a submission is late, the points that it earns are
multiplied by a share: a begun day counts whole, and excused days come first.
"""

from __future__ import annotations

import math
import tomllib
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, Field, ValidationError

from lockgrader.course.roster import CourseError, Person, read_roster, read_times
from lockgrader.lab.closed import Closed, Text
from lockgrader.mark import Late
from lockui.formats import other_format
from lockui.suggest import did_you_mean

__all__ = ["KEEP", "Course", "CourseError", "Due", "Policy", "load"]

Keep = Literal["latest", "first", "best"]
FORMAT = 1
KEEP: tuple[str, ...] = ("latest", "first", "best")
_Days = Annotated[int, Field(ge=0, le=366)]
_DAY = timedelta(days=1)


def _moment(value: object) -> object:
    """A day, or a time with its offset from UTC.

    Raises:
        ValueError: it is neither.
    """
    if not isinstance(value, date) or (isinstance(value, datetime) and value.tzinfo is None):
        raise ValueError(
            "give a day, such as 2026-12-01, or a time with its offset from UTC, such as "
            "2026-12-01T09:00:00+01:00"
        )
    return value


_Moment = Annotated[Any, BeforeValidator(_moment)]


class Policy(Closed):
    """What lateness costs.

    Arguments:
        grace_minutes: after the deadline that are not late. free_days: late days of each student
            and lab that cost nothing. per_day: share of the points that each other day costs.
        most_days: after which nothing is earned; excused days do not count.
    """

    grace_minutes: Annotated[int, Field(ge=0, le=1440)] = 0
    free_days: _Days = 0
    per_day: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0
    most_days: _Days = 366

    def late(self, due: datetime, handed_in: datetime, extra_days: int = 0) -> Late:
        """What a submission costs.

        Arguments:
            due, handed_in: with their offsets from UTC. extra_days: the student's own.
        """
        over = handed_in - due - timedelta(minutes=self.grace_minutes)
        days = max(0, math.ceil(over / _DAY))
        excused = min(days, self.free_days + extra_days)
        paid = days - excused
        share = 0.0 if paid > self.most_days else max(0.0, 1 - self.per_day * paid)
        return Late(
            due=due.isoformat(),
            handed_in=handed_in.astimezone(due.tzinfo).isoformat(timespec="seconds"),
            days=days,
            excused=excused,
            share=round(share, 6),
        )


class Due(Closed):
    """A lab's date.

    Arguments:
        due: with its offset from UTC. late: instead of the course's policy.
        folder: of a lab of your own, from that of the course; "" for an installed lab.
        release: instead of the course's. times: a CSV file of when work was handed in
            (:func:`lockgrader.course.roster.read_times`); "" for the dates of the files.
    """

    due: AwareDatetime
    late: Policy | None = None
    folder: str = ""
    release: _Moment = None
    times: str = ""


class Course(Closed):
    """A course.

    Arguments:
        title: for people. roster: a CSV file (:mod:`lockgrader.course.roster`); "" for none.
        keep: which of a student's submissions counts. late: the policy.
        lab: name, or its part before the dash, → date; a lab without one is never late.
        release: when students see points and hidden verdicts: a day, which begins by the offset
            of the lab's ``due``, or a time; None for at once.
        folder: of the file; filled in by :func:`load`.
    """

    format: Literal[1]
    title: Text
    roster: str = ""
    keep: Keep = "latest"
    late: Policy = Policy()
    release: _Moment = None
    lab: dict[str, Due] = Field(default_factory=dict)
    folder: Path = Field(default=Path(), exclude=True, repr=False)

    def people(self) -> dict[str, Person]:
        """The roster's people by login; none without a roster.

        Raises:
            CourseError: the roster is invalid.
        """
        return read_roster(self.folder / self.roster) if self.roster else {}

    def times_of(self, lab: str) -> dict[str, datetime]:
        """When work for a lab was handed in, by login; none where the files' dates count.

        Raises:
            CourseError: the file is invalid.
        """
        dated = self._dated(lab)
        return read_times(self.folder / dated.times) if dated is not None and dated.times else {}

    def place_of(self, lab: str) -> str:
        """Where a lab lies: a folder, or what it was called, if the course names none."""
        dated = self._dated(lab)
        return str(self.folder / dated.folder) if dated is not None and dated.folder else lab

    def late_for(self, lab: str, handed_in: datetime, extra_days: int) -> Late | None:
        """What a submission to a lab costs; None if the lab has no date."""
        dated = self._dated(lab)
        if dated is None:
            return None
        return (dated.late or self.late).late(dated.due, handed_in, extra_days)

    def release_of(self, lab: str) -> str:
        """When students see the points of a lab, ISO 8601; "" for at once."""
        dated = self._dated(lab)
        moment = self.release if dated is None or dated.release is None else dated.release
        if moment is None:
            return ""
        if not isinstance(moment, datetime):
            moment = datetime.combine(moment, time(), UTC if dated is None else dated.due.tzinfo)
        return str(moment.isoformat())

    def _dated(self, lab: str) -> Due | None:
        """The date of a lab. As on the command line, ``lab02`` is ``lab02-spinlocks``."""
        first = lab.partition("-")[0]
        near = [name for name in self.lab if name == first or name.partition("-")[0] == lab]
        return self.lab.get(lab) or (self.lab[near[0]] if len(near) == 1 else None)


def load(path: Path) -> Course:
    """Read a course's file.

    Raises:
        CourseError: it cannot be read, or is invalid.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CourseError(f"{path} is not TOML: {error}") from error
    if other := other_format(document, FORMAT):
        raise CourseError(f"{path}: {other}")
    if "folder" in document:
        raise CourseError(
            f"{path}: folder: unknown key; remove it: paths begin at the folder of this file"
        )
    try:
        return Course.model_validate({**document, "folder": path.resolve().parent})
    except ValidationError as error:
        raise CourseError(f"{path}: {_explained(error)}") from None


def _explained(error: ValidationError) -> str:
    """The first fault: where, what, and how to write it."""
    # A misspelt key also leaves the right one missing: the misspelling is the better message.
    first = min(error.errors(include_url=False), key=lambda e: e["type"] != "extra_forbidden")
    place = [str(part) for part in first["loc"]]
    where = ".".join(place)
    if first["type"] == "extra_forbidden":
        known = _table(place[:-1]).model_fields
        shown = [name for name in known if name != "folder"]
        return f"{where}: unknown key; {did_you_mean(place[-1], shown)}"
    if first["type"] == "missing":
        return f"{where}: this key is missing"
    if first["type"].startswith(("timezone", "datetime")):
        return f"{where}: give a time with its offset from UTC, such as 2026-10-12T23:59:00+02:00"
    return f"{where}: {first['msg'].removeprefix('Value error, ')} (got {first['input']!r})"


def _table(place: list[str]) -> type[BaseModel]:
    """The model of a table of the file."""
    if place[-1:] == ["late"]:
        return Policy
    return Due if place else Course
