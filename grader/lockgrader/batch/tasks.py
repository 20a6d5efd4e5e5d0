"""The submissions of a batch: whose each is, which attempt, and whether it is graded already."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lockgrader.course import Course, Person
from lockgrader.digests import versions
from lockgrader.files import read, reported
from lockgrader.lab import Lab
from lockgrader.mark import Late
from lockgrader.read.owner import student_of
from lockgrader.read.submission import take
from lockgrader.result import HISTORY, Result


@dataclass(frozen=True)
class Task:
    """A submission to grade, and the folder for its result.

    Arguments:
        others: names of the student's other submissions, which are left aside.
        handed_in: when, by ``times`` or the files' dates. late: what that costs, or None.
        release: when students see the points, ISO 8601; "" for at once.
        name, section: by the roster.
        candidates: of how many submissions of the student the best one counts.
        attempt: among these, from 1; 0 where the history gives the number.
    """

    student: str
    path: Path
    results: Path
    handed_in: datetime
    others: tuple[str, ...] = ()
    late: Late | None = None
    release: str = ""
    name: str = ""
    section: str = ""
    candidates: int = 1
    attempt: int = 0

    def settled(self, result: Result) -> Result:
        """A result with what roster and policy say about it now."""
        known = {n: getattr(self, n) for n in ("name", "section", "late", "release")}
        return result.model_copy(update=known)


@dataclass(frozen=True)
class Class:
    """Who is expected, and the rules of the course.

    Arguments:
        keep: which of a student's submissions counts: "latest" or "first" by the time of
            the last change, or "best": the one with most points after what lateness costs, of
            equal ones the earliest.
        people: the roster by login; empty for none. course: with dates and policy, or None.
        times: login → when the work was handed in, instead of the time of the last change.
    """

    keep: str = "latest"
    people: Mapping[str, Person] = field(default_factory=dict)
    course: Course | None = None
    times: Mapping[str, datetime] = field(default_factory=dict)


def tasks(
    submissions: Path, results: Path, lab: str = "", given: Class | None = None
) -> list[Task]:
    """The submissions of a folder that are to be graded; an entry's name gives the student.

    Arguments:
        submissions: the folder. results: of the results. lab: its name, a possible ending of a
            file's name. given: roster and rules.

    Returns:
        One task a student, or one for each submission where the best one counts.
    """
    known = given or Class()
    found: dict[str, list[Path]] = {}
    for path in sorted(submissions.iterdir()):
        if not path.name.startswith(".") or path.suffix == ".zip":
            found.setdefault(student_of(path, lab), []).append(path)
    made = []
    for student, paths in found.items():
        by_age = sorted(paths, key=_changed)
        chosen = {"latest": by_age[-1:], "first": by_age[:1]}.get(known.keep, by_age)
        others = tuple(p.name for p in by_age if p not in chosen)
        for number, path in enumerate(chosen, start=1):
            one = task_of(known, lab, student, path, results / student)
            if len(chosen) > 1:
                one = replace(one, candidates=len(chosen), attempt=number)
            made.append(replace(one, others=others))
    return made


def task_of(known: Class, lab: str, student: str, path: Path, results: Path) -> Task:
    """The task of one submission.

    Arguments:
        known: roster and rules. lab: its name. student: whose it is. path: of the submission.
        results: folder for its result.
    """
    person = known.people.get(student, Person(student))
    handed_in = known.times.get(student) or _time(_changed(path))
    made = Task(student, path, results, handed_in, name=person.name, section=person.section)
    if known.course is None:
        return made
    late = known.course.late_for(lab, handed_in, person.extra_days)
    return replace(made, late=late, release=known.course.release_of(lab))


def wrong_clocks(todo: Sequence[Task], now: datetime) -> list[str]:
    """Sentences about dates that no right clock gives: of the future, or from before it was set.

    Arguments:
        todo: the tasks. now: the time of this machine's clock.
    """
    dated = [t for t in todo if t.late is not None or t.others or t.candidates > 1]
    return [
        f"{len(odd)} hand-in times are {what}: {', '.join(odd[:_NAMED])}"
        f"{' …' * (len(odd) > _NAMED)}"
        for what, odd in (
            ("in the future", [_dated(t) for t in dated if t.handed_in > now + _SKEW]),
            ("before 1981", [_dated(t) for t in dated if t.handed_in < _SET]),
        )
        if odd
    ]


_NAMED = 3
"""Students that a sentence names."""
_SKEW = timedelta(minutes=10)
"""Between the clocks of two machines that are both right."""
_SET = datetime(1981, 1, 1, tzinfo=UTC)
"""A clock that was not set begins in 1970, and the dates of a zip begin in 1980."""


def _dated(task: Task) -> str:
    return f"{task.student} ({task.handed_in:%Y-%m-%d})"


def _time(ns: int) -> datetime:
    """A file's date; the last one that Python knows for any later one."""
    try:
        return datetime.fromtimestamp(ns / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime(9999, 1, 1, tzinfo=UTC)


def _changed(path: Path) -> int:
    """When an entry, or a file directly in it, was changed last, in ns."""
    try:
        inside = [e.stat(follow_symlinks=False).st_mtime_ns for e in os.scandir(path)]
    except OSError:  # not a folder
        inside = []
    return max([path.lstat().st_mtime_ns, *inside])


def best(results: Sequence[Result]) -> Result:
    """The one with most points; of equal ones the first. One that is not sound comes last."""
    return max(results, key=lambda r: (r.sound, r.points))


def up_to_date(kept: Result, lab: Lab, path: Path) -> bool:
    """Whether grading these files now would give this result again."""
    submission = take(path, lab.wanted())
    return (
        kept.sound
        and submission.refused is None
        and kept.submission_sha256 == submission.sha256
        and kept.lab_sha256 == lab.sha256
        and kept.versions == versions(lab)
    )


def attempt_of(folder: Path, sha256: str) -> int:
    """The number of an attempt, from 1: only different earlier submissions count.

    Raises:
        ResultError: the history cannot be read.
    """
    before: list[str] = []
    path = folder / HISTORY
    with reported(path, "read"):
        lines = read(path).splitlines()
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError):  # a line that a crash cut off
            before.append(json.loads(line)["submission_sha256"])
    return attempt_among(before, sha256)


def attempt_among(before: Iterable[str], sha256: str) -> int:
    """The number of an attempt, given the hashes of all earlier submissions."""
    seen = list(dict.fromkeys(before))
    return seen.index(sha256) + 1 if sha256 in seen else len(seen) + 1
