"""Grade a folder of submissions in parallel; a batch can be stopped at any moment.

Mechanism. Each student's result is a folder of its own, written atomically
(:mod:`lockgrader.result`). So the files on disk say what is graded. A run first finds the results
that belong to the same files, lab and version, and grades the rest. A kill loses only the
submissions in progress, and nothing is graded twice. Submissions on which the grader itself failed
are graded again.
"""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from lockgrader.batch.cluster import grade_on
from lockgrader.batch.tasks import Task, attempt_of, up_to_date
from lockgrader.checks.evaluate import die_with_parent, warm
from lockgrader.export import BATCH, export
from lockgrader.grade import grade
from lockgrader.lab import Lab
from lockgrader.read.submission import take
from lockgrader.report.feedback import keep_feedback
from lockgrader.result import Result, keep, load
from lockgrader.sandbox import Profile, SandboxError
from lockgrader.sandbox.job import PROFILES

__all__ = ["grade_all", "publish"]


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
    """Grade the submissions that are not graded yet; return all results, in task order.

    Arguments:
        scheduler: the address of a Dask cluster to grade on; "" for `processes` of this machine.

    Raises:
        SandboxError: there is no sandbox. ResultError: a result cannot be kept.
        ClusterError: there is no such cluster, or it gave up on some submissions.
    """
    if profile not in PROFILES:
        raise SandboxError(
            f"submissions of others need a sandbox; the profile '{profile}' is not one"
        )
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
    """Write a batch's tables and pages, and enter its results in the gradebook.

    All of it is made from the kept results, so after a kill it can be repeated.

    Arguments:
        results: of the batch. folder: theirs. gradebook: a database's URL, by default the folder's.

    Raises:
        ResultError: a file cannot be written. GradebookError: the database refuses.
    """
    from lockgrader.export.gradebook import enter  # imports a database's library: half a second

    export(results, BATCH, folder)
    enter(folder, [r.student for r in results], gradebook)


Graded = Generator[tuple[Task, Result], None, None]


def _on_this_machine(
    processes: int, lab: Lab, todo: list[Task], key: bytes, profile: Profile
) -> Graded:
    """Grade in processes of this machine; each result is kept where it is made."""
    if not todo:
        return
    if lab.locks:
        warm()  # once, before the workers are forked
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

    A submission that cannot be read is graded here: that takes no time, and nothing could be sent.
    """
    taken = [(task, take(task.path, lab.wanted())) for task in todo]
    unreadable = [task for task, submission in taken if submission.refused is not None]
    yield from _on_this_machine(1, lab, unreadable, key, profile)
    numbered = [
        (task, submission, attempt_of(task.results, submission.sha256))
        for task, submission in taken
        if submission.refused is None
    ]
    with contextlib.closing(grade_on(address, lab, numbered, key=key, profile=profile)) as graded:
        for task, made in graded:
            yield task, keep(task.results, made)


def _grade(lab: Lab, task: Task, key: bytes, profile: Profile) -> Result:
    submission = take(task.path, lab.wanted())
    attempt = attempt_of(task.results, submission.sha256)
    made = grade(lab, submission, student=task.student, key=key, profile=profile, attempt=attempt)
    stands = keep(task.results, made)
    keep_feedback(task.results, stands)
    return stands
