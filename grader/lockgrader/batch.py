"""Grade a folder of submissions: in parallel, and to be stopped at any moment.

Mechanism. Each student's result is a folder of its own, written atomically (:mod:`result`). What
has been graded is therefore what is on disk: a run looks first which results belong to the very
files, lab and version at hand, and grades the others. After a kill nothing is lost but the
submissions in progress, and nothing is graded twice. Results where the grader itself failed are
tried again.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from lockgrader.compile import Refused
from lockgrader.evaluate import die_with_parent, warm
from lockgrader.grade import grade, wanted
from lockgrader.lab import Lab
from lockgrader.result import HISTORY, Result, ResultError, keep, load
from lockgrader.sandbox import Profile, SandboxError
from lockgrader.sandbox.job import PROFILES
from lockgrader.submission import read, student_of

__all__ = ["Task", "attempt_at", "attempt_of", "grade_all", "tasks", "up_to_date"]


@dataclass(frozen=True)
class Task:
    """A submission to grade, and the folder for its result."""

    student: str
    path: Path
    results: Path


def tasks(submissions: Path, results: Path, lab: str = "") -> list[Task]:
    """One task for each entry of a folder; the entry's name says whose it is.

    Arguments:
        submissions: the folder. results: where results go. lab: its name, which may end a file's.

    Raises:
        ResultError: two entries are the same student's.
    """
    found: dict[str, Task] = {}
    for path in sorted(p for p in submissions.iterdir() if not p.name.startswith(".")):
        student = student_of(path, lab)
        if student in found:
            raise ResultError(
                f"{found[student].path.name} and {path.name} are both {student}'s: keep one of them"
            )
        found[student] = Task(student, path, results / student)
    return list(found.values())


def grade_all(
    lab: Lab,
    todo: list[Task],
    *,
    key: bytes,
    profile: Profile,
    processes: int,
    report: Callable[[str, float], None] | None = None,
) -> list[Result]:
    """Grade what is not graded yet; all results, in the order of the tasks.

    Raises:
        SandboxError: there is no sandbox. ResultError: a result can not be kept.
    """
    if profile not in PROFILES:
        raise SandboxError(f"submissions of others are graded in a sandbox, not '{profile}'")
    results: dict[str, Result] = {}
    fresh = []
    for task in todo:
        kept = load(task.results)
        if kept is not None and up_to_date(kept, lab, task.path):
            results[task.student] = kept
        else:
            fresh.append(task)
    if fresh:
        warm()  # once, before the workers are forked from here
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(
            processes, mp_context=context, initializer=die_with_parent
        ) as pool:
            asked = {pool.submit(_grade, lab, task, key, profile): task for task in fresh}
            try:
                for done in as_completed(asked):
                    results[asked[done].student] = done.result()
                    if report is not None:
                        report(f"{len(results)} of {len(todo)}", len(results) / len(todo))
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
    return [results[task.student] for task in todo]


def up_to_date(kept: Result, lab: Lab, path: Path) -> bool:
    """Whether a result is what grading these files now would give."""
    try:
        sha256 = read(path, wanted(lab)).sha256
    except Refused:
        return False
    return (
        kept.complete
        and not kept.errors
        and kept.submission_sha256 == sha256
        and kept.lab_sha256 == lab.sha256
        and kept.versions == {"locklab": version("locklab")}
    )


def attempt_at(lab: Lab, path: Path, results: Path) -> int:
    """Which attempt of a student's a submission is, from 1."""
    try:
        return attempt_of(results, read(path, wanted(lab)).sha256)
    except Refused:
        return attempt_of(results, "")


def attempt_of(folder: Path, sha256: str) -> int:
    """Which attempt a submission is, from 1: different ones before it count, the same one not."""
    seen: list[str] = []
    path = folder / HISTORY
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            one = json.loads(line)["submission_sha256"]
        except (ValueError, KeyError, TypeError):
            continue  # the end of a line that a crash cut off
        if one not in seen:
            seen.append(one)
    return seen.index(sha256) + 1 if sha256 in seen else len(seen) + 1


def _grade(lab: Lab, task: Task, key: bytes, profile: Profile) -> Result:
    attempt = attempt_at(lab, task.path, task.results)
    made = grade(lab, task.path, student=task.student, key=key, profile=profile, attempt=attempt)
    return keep(task.results, made)
