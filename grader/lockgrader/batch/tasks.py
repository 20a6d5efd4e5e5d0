"""The submissions of a batch: whose each is, which attempt, and whether it is graded already."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from lockgrader.lab import Lab
from lockgrader.read.submission import student_of, take
from lockgrader.result import HISTORY, Result, ResultError

__all__ = ["Task", "attempt_among", "attempt_of", "tasks", "up_to_date"]


@dataclass(frozen=True)
class Task:
    """A submission to grade, and the folder for its result."""

    student: str
    path: Path
    results: Path


def tasks(submissions: Path, results: Path, lab: str = "") -> list[Task]:
    """One task for each entry of a folder; the entry's name gives the student.

    Arguments:
        submissions: the folder. results: of the results. lab: its name, a possible ending of a
            file's name.

    Raises:
        ResultError: two entries belong to one student.
    """
    found: dict[str, Task] = {}
    for path in sorted(p for p in submissions.iterdir() if not p.name.startswith(".")):
        student = student_of(path, lab)
        if student in found:
            raise ResultError(
                f"{found[student].path.name} and {path.name} both belong to {student}: keep one"
            )
        found[student] = Task(student, path, results / student)
    return list(found.values())


def up_to_date(kept: Result, lab: Lab, path: Path) -> bool:
    """Whether grading these files now would give this result again."""
    submission = take(path, lab.wanted())
    return (
        kept.sound
        and submission.refused is None
        and kept.submission_sha256 == submission.sha256
        and kept.lab_sha256 == lab.sha256
        and kept.versions == {"locklab": version("locklab")}
    )


def attempt_of(folder: Path, sha256: str) -> int:
    """The number of an attempt, from 1: only different earlier submissions count."""
    before: list[str] = []
    path = folder / HISTORY
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(ValueError, KeyError, TypeError):  # a line that a crash cut off
            before.append(json.loads(line)["submission_sha256"])
    return attempt_among(before, sha256)


def attempt_among(before: Iterable[str], sha256: str) -> int:
    """The number of an attempt, given the hashes of all earlier submissions."""
    seen = list(dict.fromkeys(before))
    return seen.index(sha256) + 1 if sha256 in seen else len(seen) + 1
