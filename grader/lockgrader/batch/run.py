"""Grade a folder of submissions: in parallel, and to be stopped at any moment.

Mechanism. Each student's result is a folder of its own, written atomically (:mod:`result`). What
has been graded is therefore what is on disk: a run looks first which results belong to the very
files, lab and version at hand, and grades the others. After a kill nothing is lost but the
submissions in progress, and nothing is graded twice. Results where the grader itself failed are
tried again.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from lockgrader.batch.cluster import grade_on
from lockgrader.checks.evaluate import die_with_parent, warm
from lockgrader.export import BATCH, export
from lockgrader.grade import grade, wanted
from lockgrader.lab import Lab
from lockgrader.read.submission import read, student_of
from lockgrader.report.feedback import keep_feedback
from lockgrader.result import HISTORY, Result, ResultError, keep, load
from lockgrader.sandbox import Profile, SandboxError
from lockgrader.sandbox.job import PROFILES

__all__ = [
    "Task",
    "attempt_among",
    "attempt_at",
    "attempt_of",
    "grade_all",
    "publish",
    "tasks",
    "up_to_date",
]


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
    scheduler: str = "",
    report: Callable[[str, float], None] | None = None,
) -> list[Result]:
    """Grade what is not graded yet; all results, in the order of the tasks.

    Arguments:
        scheduler: the address of a Dask cluster to grade on; "" for `processes` of this machine.

    Raises:
        SandboxError: there is no sandbox. ResultError: a result can not be kept.
        ClusterError: there is no such cluster, or it gave submissions up.
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
    if fresh and scheduler:
        graded = _on_cluster(scheduler, lab, fresh, key, profile)
    else:
        graded = _on_this_machine(processes, lab, fresh, key, profile)
    with contextlib.closing(graded):
        for task, result in graded:
            results[task.student] = result
            if report is not None:
                report(f"{len(results)} of {len(todo)}", len(results) / len(todo))
    return [results[task.student] for task in todo]


def publish(results: Sequence[Result], folder: Path, gradebook: str = "") -> None:
    """Write what a batch's results are made into: tables, pages, and the gradebook.

    All of it is made from what is kept, so a kill on the way loses nothing: start again.

    Arguments:
        results: of the batch. folder: theirs. gradebook: a database's URL, by default the folder's.

    Raises:
        ResultError: a file can not be written. GradebookError: the database refuses.
    """
    from lockgrader.export.gradebook import (  # half a second that a single one saves
        Gradebook,
        beside,
    )

    export(results, BATCH, folder)
    book = Gradebook(gradebook or beside(folder))
    try:
        book.enter_folders(folder / r.student for r in results)
    finally:
        book.close()


def up_to_date(kept: Result, lab: Lab, path: Path) -> bool:
    """Whether a result is what grading these files now would give."""
    return (
        kept.complete
        and not kept.errors
        and kept.submission_sha256 == (_sha256(lab, path) or None)
        and kept.lab_sha256 == lab.sha256
        and kept.versions == {"locklab": version("locklab")}
    )


def attempt_at(lab: Lab, path: Path, results: Path) -> int:
    """Which attempt of a student's a submission is, from 1."""
    return attempt_of(results, _sha256(lab, path))


def attempt_of(folder: Path, sha256: str) -> int:
    """Which attempt a submission is, from 1: different ones before it count, the same one not."""
    before: list[str] = []
    path = folder / HISTORY
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(ValueError, KeyError, TypeError):  # a line that a crash cut off
            before.append(json.loads(line)["submission_sha256"])
    return attempt_among(before, sha256)


def attempt_among(before: Iterable[str], sha256: str) -> int:
    """The same, among the hashes of all submissions until now."""
    seen = list(dict.fromkeys(before))
    return seen.index(sha256) + 1 if sha256 in seen else len(seen) + 1


def _sha256(lab: Lab, path: Path) -> str:
    """Of a submission's files, "" for one that can not be read: what grading will tell more of."""
    try:
        return read(path, wanted(lab)).sha256
    except Exception:  # Refused, or a fault of ours: neither is to end the batch
        return ""


Graded = Generator[tuple[Task, Result], None, None]


def _on_this_machine(
    processes: int, lab: Lab, todo: list[Task], key: bytes, profile: Profile
) -> Graded:
    """Grade in processes of this machine; each result is kept where it is made."""
    if not todo:
        return
    if lab.locks:
        warm()  # once, before the workers are forked from here
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=die_with_parent) as pool:
        asked = {pool.submit(_grade, lab, task, key, profile): task for task in todo}
        try:
            for done in as_completed(asked):
                yield asked[done], done.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _on_cluster(address: str, lab: Lab, todo: list[Task], key: bytes, profile: Profile) -> Graded:
    """Grade on other machines; this process alone keeps results.

    What can not even be read is graded here: that takes no time, and nothing could be sent.
    """
    readable = [task for task in todo if _sha256(lab, task.path)]
    yield from _on_this_machine(1, lab, [t for t in todo if t not in readable], key, profile)
    numbered = [(task, attempt_at(lab, task.path, task.results)) for task in readable]
    with contextlib.closing(grade_on(address, lab, numbered, key=key, profile=profile)) as graded:
        for task, made in graded:
            yield task, keep(task.results, made)


def _grade(lab: Lab, task: Task, key: bytes, profile: Profile) -> Result:
    attempt = attempt_at(lab, task.path, task.results)
    made = grade(lab, task.path, student=task.student, key=key, profile=profile, attempt=attempt)
    stands = keep(task.results, made)
    keep_feedback(task.results, stands)
    return stands
