"""Right submissions, written another way than the solution: each must keep every point.

A student who solves a lab writes another program than ours: other orders, a pause at another place,
``if`` and ``elif``, a helper, another size. A check that takes points for that judges taste, or the
machine that was drawn. ``mutants.toml`` holds such programs as ``[[right]]``, changes of the
solution like the mutants, and every lab gets its solution in each spelling
(:mod:`lockgrader.author.spellings`).

Lint tries each for three students. Their values are drawn anew for each number of the draw, so that
a verdict that depends on the drawn machine is found sooner or later; the number is in the message,
and repeats it. A spelling changes no value, so one student is enough for it.

A check is run where what it reads of the submission differs from the solution's: a class by its
bytecode, an answer by its value, a file by its text. The other checks would repeat the solution's
verdicts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockgrader.author.item import Item
from lockgrader.author.mutants import MUTANTS, Files, answered, files_of, solution, write
from lockgrader.author.spellings import SPELLINGS, redefined, renamed, spelled
from lockgrader.check import Check
from lockgrader.compile.alike import other_classes
from lockgrader.grade import accept
from lockgrader.judging.untouched import names_in
from lockgrader.lab import Lab, LabError, changed
from lockgrader.lab.variants import whole
from lockgrader.read.submission import take
from lockgrader.result import CheckResult
from lockgrader.sandbox import Profile
from lockgrader.submitted import Submitted

STUDENTS = 3
"""For how many drawn students a right submission is tried."""
_WAYS = {"definitions", "change", "everywhere", "rename"}
_KEYS = {"name", "file", "answers", *_WAYS}


@dataclass(frozen=True)
class Right:
    """A right submission.

    Arguments:
        name: what is written another way. files: name → text, which replace those of the solution.
        answers: answer → another right value. spelling: whether lint made it.
    """

    name: str
    files: Files
    answers: dict[str, Any] = field(default_factory=dict)
    spelling: bool = False


def rights(lab: Lab) -> list[Right]:
    """The right submissions of ``mutants.toml``, and the solution in each spelling.

    Each is the solution with changes of one ``file``, by default the one in the language.
    ``definitions`` are classes, functions and constants that replace those of the same name.
    ``change`` is a list of pairs: a text, of which the first occurrence is replaced, and its
    replacement; ``everywhere`` replaces all occurrences; ``rename`` gives other names to names of a
    Python file. ``answers`` replaces single answers.

    Raises:
        LabError: there is no mutants.toml, or a change does not fit the solution.
    """
    path = Path(lab.folder) / MUTANTS
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LabError(f"{path} cannot be read: {error}") from error
    ours = files_of(lab, "solution")
    listed = [_right(lab, raw, ours) for raw in document.get("right", [])]
    return [
        *listed,
        *(Right(name, spelled(name, ours), spelling=True) for name in SPELLINGS),
    ]


def drawn_students(draw: int) -> list[str]:
    """The students of a draw."""
    return [f"draw {draw}, student {number}" for number in range(1, STUDENTS + 1)]


def submission(lab: Lab, student: str, key: bytes, one: Right) -> Files:
    """A right submission's files, with the answers of this student's variant and of its own locks.

    Raises:
        LabError: the lab has no solution, or is invalid.
    """
    if one.spelling:
        files = solution(lab, student, key)
        return files | spelled(one.name, files)
    try:
        return answered(lab, solution(lab, student, key, one.files), one.answers)
    except Exception as error:
        if getattr(error, "exit_code", None) != 2:
            raise
        raise LabError(f"its answers cannot be measured: {error}") from error


def differing(
    lab: Lab, student: str, key: bytes, files: Files, folder: Path, profile: Profile
) -> tuple[str, ...]:
    """Names of the checks that read something else than in the solution.

    Arguments:
        lab: the lab. student, key: for the variant. files: of a submission.
        folder: to write into. profile: of the sandbox.

    Raises:
        LabError: a part of the submission is refused; the message says why.
    """
    checks = lab.checks(whole(lab, student, key))
    ours = solution(lab, student, key)
    wanted, given = (
        _accepted(lab, checks, write(one, folder / name), profile)
        for name, one in (("solution", ours), ("right", files))
    )
    classes = other_classes(wanted.codes, given.codes)
    numbers, texts = _unequal(wanted.answers, given.answers), _unequal(wanted.texts, given.texts)
    parts = {
        "locks": bool(classes),
        "answers": False,
        "tests": wanted.scenarios != given.scenarios,
        "data": wanted.files != given.files,
        "c": ours.get(lab.c) != files.get(lab.c),
    }
    found = []
    for check in checks:
        part = check.part
        named = names_in(check)
        other = bool(named & (classes | numbers | texts))
        names_none = part != "locks" or not named & wanted.codes.keys()
        if other or (names_none and parts[part]):
            found.append(check.name)
    return tuple(found)


@dataclass(frozen=True)
class Tried:
    """A right submission that was graded for a student.

    Arguments:
        student: who. values: their variant. results: of the checks that were run. error: why
            nothing was. cpu_s: processor time.
    """

    student: str
    values: dict[str, str | int]
    results: Sequence[CheckResult]
    error: str = ""
    cpu_s: float = 0.0


def kept_points(name: str, tried: Sequence[Tried]) -> Item:
    """The finding about one right submission.

    Arguments:
        name: its. tried: for each student.
    """
    cpu_s = sum(one.cpu_s for one in tried)
    for one in tried:
        if one.error:
            return Item("right", name, False, f"{one.student}: {one.error}", cpu_s)
    results = {r.name: r for one in tried for r in one.results}
    lost = {check: [one for one in tried if _lost(one, check)] for check in results}
    if not any(lost.values()):
        number = len(results)
        says = f"every point kept, {number} check{'s' * (number != 1)} run"
        return Item("right", name, True, says, cpu_s)
    parts = []
    for check, losers in lost.items():
        if losers:
            keepers = [one for one in tried if one not in losers]
            kept = f"; kept by {_students(keepers)}" if keepers else ""
            less = max(_lost(one, check) for one in losers)
            (result,) = (r for r in losers[0].results if r.name == check)
            shown = result.message.strip().split("\n")[0][:200]
            parts.append(
                f"{check}: {result.verdict}, {less:g} of {result.max_points:g} points lost by "
                f"{_students(losers)}{kept}: {shown}"
            )
    worst = max(sum(_lost(one, check) for check in results) for one in tried)
    return Item("right", name, False, f"loses {worst:g} points\n" + "\n".join(parts), cpu_s)


def _lost(one: Tried, check: str) -> float:
    """The points that a check has taken."""
    return sum(
        r.max_points
        if r.verdict != "pass" and r.points == r.max_points
        else r.max_points - r.points
        for r in one.results
        if r.name == check
    )


def _students(some: Sequence[Tried]) -> str:
    values = (", ".join(f"{n} {v}" for n, v in one.values.items()) for one in some)
    return ", ".join(f"{one.student} ({v})" for one, v in zip(some, values, strict=True))


def _right(lab: Lab, raw: dict[str, Any], ours: Files) -> Right:
    where = f"{lab.name}, right submission '{raw.get('name', '?')}'"
    if strange := raw.keys() - _KEYS:
        raise LabError(
            f"{where}: unknown key {', '.join(strange)}; the keys are {', '.join(sorted(_KEYS))}"
        )
    try:
        name, file = raw["name"], raw.get("file", lab.locks)
        answers = raw.get("answers", {})
        files = {}
        if raw.keys() & _WAYS:
            text = ours[file]
            if "definitions" in raw:
                text = redefined(text, raw["definitions"])
            text = changed(text, raw.get("change", []), where, raw.get("everywhere", []))
            files[file] = renamed(text, raw["rename"]) if "rename" in raw else text
    except KeyError as error:
        raise LabError(f"{where}: {error} is missing") from error
    except (SyntaxError, ValueError) as error:
        raise LabError(f"{where}: {error}") from error
    if not answers and files.items() <= ours.items():
        raise LabError(f"{where}: it does not change the solution")
    return Right(name, files, answers)


def _accepted(lab: Lab, checks: list[Check], path: Path, profile: Profile) -> Submitted:
    """A submission in its parts, without the C part, of which the text is compared."""
    taken = take(path, lab.wanted())
    refused = {} if taken.refused is None else {"the submission": taken.refused}
    made = accept(lab, [c for c in checks if c.part != "c"], taken, refused, profile)
    wrong = {n: f"{why.verdict}: {why.message}" for n, why in refused.items()}
    for name, why in {**wrong, **made.broken, **made.refused, **made.wrong}.items():
        raise LabError(f"{name}: {why}")
    return made


def _unequal(wanted: Mapping[str, object], given: Mapping[str, object]) -> set[str]:
    """The names whose values differ."""
    return {n for n in wanted.keys() | given.keys() if wanted.get(n) != given.get(n)}
