"""Grade a folder of submissions in parallel; a batch can be stopped at any moment.

Mechanism. Each student's result is a folder of its own, written atomically
(:mod:`lockgrader.result`). So the files on disk say what is graded. A run first finds the results
that belong to the same files, lab and digests (:mod:`lockgrader.digests`), and grades the rest. A
kill loses only the submissions in progress, and nothing is graded twice. Submissions on which the
grader itself failed are graded again.

Roster and policy are no part of the grading: they are applied anew to each result, so a changed
deadline costs no grading. Where a student's best submission counts, each is graded into the
history, and the best one stands.
"""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from lockgrader.batch.again import Again, some_checks
from lockgrader.batch.cluster import grade_on
from lockgrader.batch.tasks import Task, attempt_of, best, up_to_date
from lockgrader.export import BATCH, export
from lockgrader.grade import grade
from lockgrader.judging.evaluate import die_with_parent, warm
from lockgrader.lab import Lab
from lockgrader.mark import read_marks
from lockgrader.read.submission import take
from lockgrader.report.feedback import keep_feedback
from lockgrader.result import Result, history, keep, load, remember
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
    cluster: str = "",
    again: Again | None = None,
    report: Callable[[str, float], None] | None = None,
) -> list[Result]:
    """Grade the submissions that are not graded yet; return all, one a student.

    Arguments:
        cluster: the address of a Dask cluster to grade on; "" for `processes` of this machine.
        again: what is graded although it is up to date.

    Raises:
        SandboxError: there is no sandbox. ResultError: a result cannot be kept.
        ClusterError: there is no such cluster, or it gave up on some submissions.
    """
    if profile not in PROFILES:
        raise SandboxError(
            f"'{profile}' is not a sandbox, and other people's submissions run only in a sandbox\n"
            f"help: use {' or '.join(PROFILES)}"
        )
    made: dict[Task, Result] = {}
    fresh = []
    again = again or Again()
    for task in todo:
        kept = None if again.forced(task.student) else _kept(task, lab)
        if kept is not None:
            made[task] = task.settled(kept)
        elif again.grades(task.student):
            fresh.append(task)
    count = len(fresh) + len(made)
    if fresh and cluster:
        graded = _on_cluster(cluster, lab, fresh, key, profile)
    else:
        graded = _on_this_machine(processes, lab, fresh, key, profile, again.checks)
    with contextlib.closing(graded):
        for task, result in graded:
            made[task] = result
            if report is not None:
                report(f"{len(made)} of {count}", len(made) / count)
    candidates: dict[Path, list[Result]] = {}
    for task in todo:  # in this order, whatever the order of grading: it decides between equals
        if task in made:
            candidates.setdefault(task.results, []).append(made[task])
    return [_standing(folder, found) for folder, found in candidates.items()]


def _kept(task: Task, lab: Lab) -> Result | None:
    """A result that grading the task's files would give again, or None."""
    found = (r for r in _earlier(task) if up_to_date(r, lab, task.path))
    kept = next(found, None)
    return None if kept is None else kept.with_marks(read_marks(task.results))


def _earlier(task: Task) -> list[Result]:
    """The student's results, the one that stands first; all, where the best submission counts."""
    stands = load(task.results)
    past = history(task.results) if task.candidates > 1 else []
    return [r for r in (stands, *reversed(past)) if r is not None]


def _standing(folder: Path, candidates: list[Result]) -> Result:
    """Keep the result that counts; one that was graded now is kept already and stays as it is."""
    chosen = best(candidates) if len(candidates) > 1 else candidates[0]
    now = load(folder)
    if now is None or now.decided() != chosen.decided():
        now = keep(folder, chosen)
        keep_feedback(folder, now)
    return now


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
    processes: int,
    lab: Lab,
    todo: list[Task],
    key: bytes,
    profile: Profile,
    checks: Sequence[str] = (),
) -> Graded:
    """Grade in processes of this machine; each result is kept where it is made."""
    if not todo:
        return
    if lab.locks:
        warm()  # once, before the workers are forked
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=die_with_parent) as pool:
        asked = {pool.submit(_grade, lab, task, key, profile, checks): task for task in todo}
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
        (task, submission, task.attempt or attempt_of(task.results, submission.sha256))
        for task, submission in taken
        if submission.refused is None
    ]
    with contextlib.closing(grade_on(address, lab, numbered, key=key, profile=profile)) as graded:
        for task, made in graded:
            yield task, _hold(task, task.settled(made))


def _grade(lab: Lab, task: Task, key: bytes, profile: Profile, checks: Sequence[str]) -> Result:
    submission = take(task.path, lab.wanted())
    attempt = task.attempt or attempt_of(task.results, submission.sha256)
    made = None
    if checks:
        before = _earlier(task)
        made = some_checks(
            lab, before, submission, checks, key=key, profile=profile, attempt=attempt
        )
    if made is None:
        who = task.student
        made = grade(lab, submission, student=who, key=key, profile=profile, attempt=attempt)
    return _hold(task, task.settled(made))


def _hold(task: Task, made: Result) -> Result:
    """Keep a result that was just made; one of several candidates goes to the history alone."""
    if task.candidates > 1:
        remember(task.results, made)
        return made.with_marks(read_marks(task.results))
    stands = keep(task.results, made)
    keep_feedback(task.results, stands)
    return stands
