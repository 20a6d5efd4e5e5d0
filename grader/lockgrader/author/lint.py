"""Check a lab before students see it.

- The solution earns everything for many students, each with their own variant.
- The starter earns nothing; each check fails because the work is missing, not because of a crash or
  a syntax error.
- Every mutant gets its verdict and its misconception.
- Every mutant that lint makes by itself loses points, or is listed with the reason
  (:mod:`lockgrader.author.made`).
- Every right submission keeps every point (:mod:`lockgrader.author.right`).
- Every public check has hints, or a reason to have none.
- No check takes long.
- The handout names every file and every answer, and its commands run.
- Numbers differ between students.
- The files keep their promises (:mod:`lockgrader.author.promises`).
- The bundle leaks nothing.

Mechanism. :func:`lockgrader.grade.grade` grades everything in a sandbox, like a student's
submission, so the test covers the real path. Here checks do not wait for others, so that the
starter's later checks are tested too; a check that the starter passes is accepted only if it waits
for another. Students with equal variants count once, and a check that is equal for two variants
runs once.

A lint of all labs takes hours. What has been graded is kept (:mod:`lockgrader.author.kept`), so a
lint that was ended goes on where it was.
"""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockgrader.author.bundle import BundleError, public_files
from lockgrader.author.item import Item
from lockgrader.author.kept import Kept
from lockgrader.author.made import Made, equivalents, made
from lockgrader.author.mutants import Mutant, mutants, mutated, solution, starter, write
from lockgrader.author.promises import promises, run_commands
from lockgrader.author.right import (
    Right,
    Tried,
    differing,
    drawn_students,
    kept_points,
    rights,
    submission,
)
from lockgrader.check import Check
from lockgrader.finding import Finding
from lockgrader.grade import grade
from lockgrader.judging.evaluate import die_with_parent, warm
from lockgrader.lab import Lab, LabError, load
from lockgrader.lab.variants import variant, whole
from lockgrader.result import VERDICTS, CheckResult
from lockgrader.sandbox import Profile
from lockgrader.submitted import Submitted

__all__ = ["LONGEST_S", "Item", "Linted", "lint"]

LONGEST_S = 30.0
"""Processor time that a check may take; students wait for it on a laptop."""
KEY = b"the key of no course: variants for lint"
FEWEST_STUDENTS = 4
"""With fewer, nothing can be said about how values differ."""
LOST = frozenset(VERDICTS) - {"pass", "skipped", "grader_error"}
"""Verdicts that cost points."""
OWN_WORK = ("fail", "no_output")
"""Verdicts that a starter may get: they mean that work is missing."""


@dataclass(frozen=True)
class Linted:
    """A lab's items, and what was tried.

    Arguments:
        lab: its name. students, variants: how many were tried, and how many differ.
        items: each property. draw: number of the students of the right submissions.
        cpu_s: processor time of the lint. kept_s: the part of it that an earlier run has spent.
    """

    lab: str
    students: int
    variants: int
    items: tuple[Item, ...]
    draw: int
    cpu_s: float
    kept_s: float

    @property
    def ok(self) -> bool:
        """Whether all properties hold."""
        return all(item.ok for item in self.items)


@dataclass(frozen=True)
class _Task:
    """One of the lab's submissions to grade, in some checks.

    Arguments:
        what: as in :class:`Item`. student: for the variant. names: of checks, empty for all.
        mutant: the mutant, if it is one. made: the one that lint has made, if it is one; its checks
            run until one takes points. right: the right submission, if it is one; its checks are
            those that it can change.
    """

    what: str
    student: str
    names: tuple[str, ...] = ()
    mutant: Mutant | None = None
    made: Made | None = None
    right: Right | None = None


@dataclass(frozen=True)
class _Done:
    """What grading found; ``used_s`` is processor time, of which ``cpu_s`` went into checks."""

    task: _Task
    results: tuple[CheckResult, ...] = ()
    cpu_s: tuple[float, ...] = ()
    error: str = ""
    values: dict[str, str | int] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    used_s: float = 0.0


def lint(
    folder: Path,
    *,
    students: int = 20,
    draw: int = 1,
    processes: int = 1,
    profile: Profile = "namespaces",
    keep: Path | None = None,
    again: bool = False,
    report: Callable[[str, float], None] | None = None,
) -> Linted:
    """Check a lab.

    Arguments:
        folder: the lab's. students: how many get a variant; 0 grades nothing and checks
            only the files. draw: which students the right submissions are tried for.
        processes: at a time. keep: a folder for what has been graded; None keeps nothing.
        again: grade again what is kept there.
        profile: the sandbox; "unconfined" without one, as only the lab's own files run.
        report: called with a text and the fraction done.

    Raises:
        LabError: the lab cannot be read. SandboxError: there is no sandbox.
    """
    lab = load(folder)
    names = [f"student{number}" for number in range(1, students + 1)]
    tasks, variants = _tasks(lab, names, draw)
    kept = Kept(keep, lab, profile, _Done, again=again)
    earlier_s = sum(one.used_s for task in tasks if (one := kept.get(task)) is not None)
    done = _graded(lab, tasks, processes, profile, kept, report)
    checks = lab.checks(whole(lab, "student1", KEY))
    items = [
        *_solution(done, checks),
        *_starter(done, checks),
        *(_wrong(one) for one in done if one.task.mutant is not None),
        *_made(lab, done),
        *_right(done),
        *_hints(checks),
        *_times(done),
        *_values(done, checks, students),
        *_handout(lab, folder, checks),
        *promises(lab, folder, checks),
        *(run_commands(lab, folder, "student1", KEY) if students else ()),
        _bundle(folder),
    ]
    used_s = sum(one.used_s for one in done)
    return Linted(lab.name, students, variants, tuple(items), draw, used_s, earlier_s)


def _tasks(lab: Lab, students: list[str], draw: int) -> tuple[list[_Task], int]:
    """The submissions to grade, and the number of different variants."""
    if not students:
        return [], 0
    tasks = [_Task("starter", students[0])]
    variants: set[str] = set()
    seen: set[str] = set()
    for student in students:
        values = variant(lab, student, KEY)
        variants.add(repr(values))
        fresh = {c.name: c.model_dump_json() for c in lab.checks(whole(lab, student, KEY))}
        names = tuple(name for name, text in fresh.items() if text not in seen)
        seen.update(fresh.values())
        if names:
            tasks.append(_Task("solution", student, names))
    tasks += [_Task("wrong", students[0], (wrong.check,), wrong) for wrong in mutants(lab)]
    checks = lab.checks(whole(lab, students[0], KEY))
    tasks += [_Task("made", students[0], one.checks, made=one) for one in made(lab, checks)]
    for one in rights(lab):
        several = drawn_students(draw)[: 1 if one.spelling else None]
        tasks += [_Task("right", student, right=one) for student in several]
    return tasks, len(variants)


def _graded(
    lab: Lab,
    tasks: list[_Task],
    processes: int,
    profile: Profile,
    kept: Kept[_Done],
    report: Callable[[str, float], None] | None,
) -> list[_Done]:
    """All tasks, in their order."""
    found = {i: done for i, task in enumerate(tasks) if (done := kept.get(task)) is not None}
    if len(found) == len(tasks):
        return [found[i] for i in range(len(tasks))]
    warm()  # once, before the workers are forked from here
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=die_with_parent) as pool:
        asked = {
            pool.submit(_grade, lab, task, profile): i
            for i, task in enumerate(tasks)
            if i not in found
        }
        try:
            for one in as_completed(asked):
                found[asked[one]] = kept.add(tasks[asked[one]], one.result())
                if report is not None:
                    report(f"{lab.name}: {len(found)} of {len(tasks)}", len(found) / len(tasks))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [found[i] for i in range(len(tasks))]


def _grade(lab: Lab, task: _Task, profile: Profile) -> _Done:
    """Grade one of the lab's submissions; no check waits for another."""
    alone = lab.model_copy(update={"check": tuple({**raw, "needs": ()} for raw in lab.check)})
    values = variant(lab, task.student, KEY)
    used: list[float] = []
    names, before_s = task.names, _used_s(os.times())
    try:
        files = _files(lab, task)
        with tempfile.TemporaryDirectory(prefix="locklab-") as made:
            if task.right is not None:
                names = differing(lab, task.student, KEY, files, Path(made), profile)
                if not names:
                    return _Done(task, values=values, used_s=_used_s(os.times()) - before_s)
            path = write(files, Path(made) / task.student)
            answers = json.loads(files.get(lab.answers, "{}")) if task.what == "solution" else {}
            used.append(_used_by_children_s())
            survives = _Survives() if task.made is not None else None
            result = grade(
                alone,
                path,
                student=task.student,
                key=KEY,
                profile=profile,
                values=values,
                only=names,
                gate=survives,
                judged=None if survives is None else survives.note,
                progress=lambda _: used.append(_used_by_children_s()),
            )
            if result.checks:
                used.append(_used_by_children_s())
    except LabError as error:
        return _Done(task, error=str(error), values=values)
    spent = (after - before for before, after in itertools.pairwise(used))
    asked = [  # without the proofs that came along
        (check, cpu_s)
        for check, cpu_s in zip(result.checks, spent, strict=True)
        if not names or check.name in names
    ]
    checks, times = zip(*asked, strict=True) if asked else ((), ())
    used_s = _used_s(os.times()) - before_s
    return _Done(task, checks, times, values=values, answers=answers, used_s=used_s)


def _files(lab: Lab, task: _Task) -> dict[str, str]:
    """The submission of a task."""
    if task.what == "starter":
        return starter(lab)
    if task.right is not None:
        return submission(lab, task.student, KEY, task.right)
    files = solution(lab, task.student, KEY)
    if task.made is not None:
        return files | task.made.files
    return mutated(lab, files, task.mutant) if task.mutant else files


def _used_by_children_s() -> float:
    """Processor time of the children that have ended."""
    used = os.times()
    return used.children_user + used.children_system


def _used_s(used: os.times_result) -> float:
    """Processor time of this process and of its children that have ended."""
    return used.user + used.system + used.children_user + used.children_system


def _solution(done: list[_Done], checks: list[Check]) -> Iterable[Item]:
    for check in checks if done else ():
        worst, cpu_s, times = "", 0.0, 0
        for one in done:
            if one.task.what != "solution":
                continue
            if one.error:
                worst = worst or one.error
            for result, used_s in zip(one.results, one.cpu_s, strict=True):
                if result.name == check.name:
                    times, cpu_s = times + 1, max(cpu_s, used_s)
                    if result.points != result.max_points or result.verdict != "pass":
                        worst = worst or f"{_variant_of(one)}: {result.verdict}, {_short(result)}"
        tried = "1 variant" if times == 1 else f"{times} variants"
        yield Item("solution", check.name, not worst, worst or f"full marks, {tried}", cpu_s)


def _starter(done: list[_Done], checks: list[Check]) -> Iterable[Item]:
    graded = {c.name: c for c in checks if c.points > 0}
    for one in done:
        if one.task.what != "starter":
            continue
        if one.error:
            yield Item("starter", "", False, one.error)
        passed = {result.name for result in one.results if result.verdict == "pass"}
        for result in one.results:
            if result.name in graded:
                waits = [n for n in graded[result.name].needs if n not in passed]
                ok = result.verdict in OWN_WORK
                says = f"{result.verdict}: {_short(result)}"
                if result.verdict in ("pass", "partial") and waits:
                    ok, says = True, f"{result.verdict}, but waits for {', '.join(waits)}"
                yield Item("starter", result.name, ok, says)


def _wrong(one: _Done) -> Item:
    """Compare a mutant's verdict and misconception with the documented ones."""
    wrong = one.task.mutant
    assert wrong is not None
    if one.error or not one.results:
        says = one.error or f"the lab has no check '{wrong.check}'"
        return Item("wrong", wrong.name, False, says)
    result = one.results[0]
    says = f"{wrong.check}: {result.verdict}"
    if result.verdict != wrong.verdict:
        text = f"{says}, and it must be {wrong.verdict} ({_short(result)})"
        return Item("wrong", wrong.name, False, text, one.cpu_s[0])
    if not _believed(wrong.misconception, result.misconception):
        text = f"{says}, reported is '{result.misconception}', and not '{wrong.misconception}'"
        return Item("wrong", wrong.name, False, text, one.cpu_s[0])
    return Item("wrong", wrong.name, True, says, one.cpu_s[0])


class _Survives:
    """A gate for the checks of a made mutant: closed from the first check on that takes points."""

    def __init__(self) -> None:
        self._lost = False

    def __call__(self, check: Check, submitted: Submitted) -> str:
        """Why a check need not run, or ""."""
        return "an earlier check has taken points" if self._lost else ""

    def note(self, check: Check, finding: Finding) -> None:
        """Remember whether points were lost."""
        self._lost = self._lost or finding.verdict in LOST


def _made(lab: Lab, done: list[_Done]) -> Iterable[Item]:
    """Each made mutant loses points or is listed, and not both; and nothing else is listed."""
    listed = equivalents(lab) if done else {}
    for one in done:
        if one.task.made is None:
            continue
        name, cpu_s = one.task.made.name, sum(one.cpu_s)
        by = next((r for r in one.results if r.verdict in LOST), None)
        loses = by is not None or bool(one.error)
        reason = listed.pop(name, "")
        if loses == bool(reason):
            says = f"it loses points in {by.name if by else one.error}: remove its [[equivalent]]"
            if not loses:
                run = ", ".join(one.task.names)
                says = f"it keeps every point of {run}: ask for more, or list it as [[equivalent]]"
            yield Item("made", name, False, says, cpu_s)
        else:
            says = reason or f"{by.name}: {by.verdict}" if by else reason or one.error
            yield Item("made", name, True, says, cpu_s)
    for name in listed:
        yield Item("made", name, False, "lint makes no such mutant: remove its [[equivalent]]")


def _right(done: list[_Done]) -> Iterable[Item]:
    """One item for each right submission."""
    tried: dict[str, list[Tried]] = {}
    for one in done:
        if one.task.right is not None:
            found = Tried(one.task.student, one.values, one.results, one.error, sum(one.cpu_s))
            tried.setdefault(one.task.right.name, []).append(found)
    for name, found_by in tried.items():
        yield kept_points(name, found_by)


def _believed(wanted: str, reported: str) -> bool:
    return wanted in reported and bool(wanted) == bool(reported)


def _hints(checks: list[Check]) -> Iterable[Item]:
    """Public checks need hints, except predictions and answers in words."""
    for check in checks:
        if not check.hinted or not check.public:
            continue
        if check.hints:
            says = "1 hint" if len(check.hints) == 1 else f"{len(check.hints)} hints"
            yield Item("hint", check.name, True, says)
        else:
            says = check.no_hint or 'no hint: write hints = [...], or no_hint = "the reason"'
            yield Item("hint", check.name, bool(check.no_hint), says)


def _times(done: list[_Done]) -> Iterable[Item]:
    longest: dict[str, float] = {}
    for one in done:
        for result, used_s in zip(one.results, one.cpu_s, strict=True):
            longest[result.name] = max(longest.get(result.name, 0.0), used_s)
    for name, used_s in longest.items():
        says = f"{used_s:.1f} s of processor time at most; the limit is {LONGEST_S:g} s"
        yield Item("time", name, used_s <= LONGEST_S, says, used_s)


def _values(done: list[_Done], checks: list[Check], students: int) -> Iterable[Item]:
    """At most half of the students may have the same number, within its tolerance."""
    for check in checks if students >= FEWEST_STUDENTS else ():
        slack = check.alike_within
        if slack is None or check.same:
            continue
        numbers = [
            float(given[0] if isinstance(given, list) else given)
            for one in done
            if one.task.what == "solution" and check.name in {r.name for r in one.results}
            for name in check.asks
            if (given := one.answers.get(name)) is not None
        ]
        most = max((_alike(n, numbers, slack) for n in numbers), default=0)
        says = f"{len(numbers)} numbers for {students} students; at most {most} are alike"
        ok = len(numbers) >= students // 2 and most <= students // 2
        if not ok:
            says = f'{says}: use a variant in it, or write same = "the reason"'
        yield Item("value", check.name, ok, says)


def _alike(number: float, numbers: list[float], slack: float) -> int:
    """How many numbers are as right as this one."""
    return sum(abs(n - number) <= slack * abs(number) for n in numbers)


def _handout(lab: Lab, folder: Path, checks: list[Check]) -> Iterable[Item]:
    """The handout names every file of the starter and every answer that is asked for."""
    path = folder / "handout.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    names = sorted(starter(lab))
    names += sorted({n for c in checks for n in (*c.asks, *c.asks_words)})
    for name in names:
        named = name in text
        yield Item("handout", name, named, "named" if named else "the handout does not name it")


def _bundle(folder: Path) -> Item:
    try:
        files = public_files(folder)
    except BundleError as error:
        return Item("bundle", "", False, str(error))
    return Item("bundle", "", True, f"{len(files)} files, nothing hidden among them")


def _variant_of(one: _Done) -> str:
    return ", ".join(f"{name} {value}" for name, value in one.values.items()) or one.task.student


def _short(result: CheckResult) -> str:
    """The line that says most: the first one, of a traceback the last one."""
    lines = result.message.strip().split("\n")
    return lines[-1 if result.verdict == "grader_error" else 0][:200]
