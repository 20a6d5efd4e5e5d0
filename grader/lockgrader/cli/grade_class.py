"""Grade a folder of submissions, for ``locklab grade``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lockgrader.batch.again import Again, known_checks
from lockgrader.batch.compare import compare
from lockgrader.batch.roll import call_roll, strangers
from lockgrader.batch.run import grade_all, publish
from lockgrader.batch.tasks import Class, tasks
from lockgrader.cli.show import say_changes, say_withheld, warn_of_clocks
from lockgrader.export import kept, load_all
from lockgrader.grade import printable
from lockgrader.lab import Lab
from lockgrader.read.owner import student_name
from lockgrader.report.student import unmarked
from lockgrader.result import Result
from lockgrader.sandbox import Profile
from lockui.console import progress, say, stderr, warn
from lockui.errors import UsageError
from lockui.suggest import did_you_mean


def grade_class(
    lab: Lab,
    submissions: Path,
    out: Path,
    expected: Class,
    *,
    key: bytes,
    profile: Profile,
    processes: int,
    cluster: str,
    gradebook: str,
    student: str,
    again: bool,
    checks: tuple[str, ...],
) -> tuple[list[Result], list[Result]]:
    """Grade a folder; return all results, those of absent students included, and earlier ones.

    Arguments:
        out: where results are kept. student, again, checks: as for
            :class:`lockgrader.batch.again.Again`. gradebook: a database's URL, or "".
        key, profile, processes, cluster: as for :func:`lockgrader.batch.run.grade_all`.

    Returns:
        The earlier results are those before checks were graded again; else none.
    """
    known_checks(lab, checks)
    if checks and cluster:
        raise UsageError("--only runs on this machine: leave --cluster out")
    which = Again(student_name(student) if student else "", checks, again)
    before = kept(out) if checks else []
    todo = tasks(submissions, out, lab.name, expected)
    present = {task.student for task in todo}
    if which.student and which.student not in present:
        near = did_you_mean(which.student, present)
        raise UsageError(f"--student {which.student}: no submission in {submissions}; {near}")
    for task in todo:
        if task.others:
            left = ", ".join(map(printable, task.others))
            warn(f"{task.student}: {printable(task.path.name)} is graded, not {left}")
    for stranger in strangers(expected.people, present):
        warn(f"{stranger}: not on the roster; graded all the same")
    warn_of_clocks(todo)
    with progress("grading") as report:
        results = grade_all(
            lab,
            todo,
            key=key,
            profile=profile,
            processes=processes,
            cluster=cluster,
            again=which,
            report=report,
        )
        report("writing tables, pages and the gradebook", 1.0)
        results += call_roll(lab, expected, present, out, key)
        publish(load_all(out) if which.student else results, out, gradebook)
    return results, before


def print_class(results: Sequence[Result], before: Sequence[Result]) -> None:
    """Print a line for each student, and what differs from earlier results.

    Arguments:
        before: earlier results to compare with.
    """
    _print_all(results)
    if before:
        students = {r.student for r in results}
        say_changes(compare([r for r in before if r.student in students], results))


def say_next(results: Sequence[Result], out: Path) -> None:
    """Say on stderr what is to be done next.

    Arguments:
        out: where results are kept.
    """
    if waiting := sum(map(unmarked, results)):
        say(f"{waiting} answers in words to mark: locklab grade review {out}", stderr())
    say_withheld(results)


def _print_all(results: Sequence[Result]) -> None:
    for result in results:
        points = f"{result.points:g} of {result.max_points:g}"
        if result.absent:
            say(f"{result.student}: nothing handed in")
            continue
        failed = [c.name for c in result.checks if c.verdict != "pass"]
        late = f" ({result.late})" if result.late is not None and result.late.days else ""
        say(f"{result.student}: {points}{late}{'; not passed: ' * bool(failed)}{', '.join(failed)}")
