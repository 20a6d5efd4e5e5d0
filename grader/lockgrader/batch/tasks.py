"""The submissions of a batch: whose each is, which attempt, and whether it is graded already."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from lockgrader.lab import Lab
from lockgrader.read.owner import student_of
from lockgrader.read.submission import take
from lockgrader.result import HISTORY, Result

__all__ = ["KEEP", "Task", "attempt_among", "attempt_of", "tasks", "up_to_date"]


KEEP = ("latest", "first")


@dataclass(frozen=True)
class Task:
    """A submission to grade, and the folder for its result.

    Arguments:
        others: names of the student's other submissions, which are left aside.
    """

    student: str
    path: Path
    results: Path
    others: tuple[str, ...] = ()


def tasks(submissions: Path, results: Path, lab: str = "", keep: str = "latest") -> list[Task]:
    """One task for each student with an entry in a folder; the entry's name gives the student.

    Arguments:
        submissions: the folder. results: of the results. lab: its name, a possible ending of a
            file's name.
        keep: which of a student's entries counts, by the time of the last change: of KEEP.
    """
    found: dict[str, list[Path]] = {}
    for path in sorted(submissions.iterdir()):
        if not path.name.startswith(".") or path.suffix == ".zip":
            found.setdefault(student_of(path, lab), []).append(path)
    made = []
    for student, paths in found.items():
        by_age = sorted(paths, key=_changed)
        chosen = by_age[-1] if keep == "latest" else by_age[0]
        others = tuple(p.name for p in by_age if p != chosen)
        made.append(Task(student, chosen, results / student, others))
    return made


def _changed(path: Path) -> int:
    """When an entry, or a file directly in it, was changed last, in ns."""
    try:
        inside = [e.stat(follow_symlinks=False).st_mtime_ns for e in os.scandir(path)]
    except OSError:  # not a folder
        inside = []
    return max([path.lstat().st_mtime_ns, *inside])


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
