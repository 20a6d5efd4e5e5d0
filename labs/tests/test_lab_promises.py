"""What every lab promises: of its solution, its starter and its mutants.

The submissions are ours (:mod:`lockgrader.author.mutants`), so most are judged without a sandbox;
one of each lab is graded as a student's.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lockgrader.author.mutants import (
    Files,
    Mutant,
    files_of,
    findings,
    mutants,
    mutated,
    solution,
    starter,
    write,
)
from lockgrader.author.right import Right, differing, drawn_students, rights, submission
from lockgrader.grade import grade
from lockgrader.kinds.prediction import Prediction
from lockgrader.kinds.written import Written
from lockgrader.lab import Lab, load
from lockgrader.lab.variants import variant, whole
from lockgrader.sandbox import available
from lockgrader.signs import belief_of
from locklabs import find, names

KEY = b"k" * 16
DEAR = (
    "lab01-read-the-meter",
    "lab03-meeting-room",
    "lab04-readers",
    "lab05-rcu",
    "lab06-seqrwlock",
    "lab07-lockref",
    "lab10-your-machine",
    "lab11-capstone",
    "lab12-your-own-kernel",
)
"""Their solutions take long; `make slow` and lint grade them."""
SOLVED = ("lab00-five-minutes", "lab08-the-cost-of-a-check", "lab09-the-cache-that-forgot")
"""Labs whose solution is graded in the normal run; of the other cheap one, a right submission."""
STUDENTS = [f"student{i}" for i in range(20)]
EARNS_NOTHING = {"fail", "skipped", "no_output"}
needs_sandbox = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")


@cache
def lab_of(name: str) -> Lab:
    """A lab, read once."""
    return load(find(name))


def all_mutants() -> Iterator[Any]:
    """Every mutant; those in C need a sandbox. All but the first of each check are slow."""
    for name in names():
        lab, seen = lab_of(name), set()
        for one in mutants(lab):
            marks = [needs_sandbox] if lab.c in one.files else []
            # A number of lab 03 takes runs of Chatroom, one of lab 12 twins, seconds long.
            long = name in ("lab03-meeting-room", "lab12-your-own-kernel")
            if one.check in seen or (long and one.answers):
                marks.append(pytest.mark.slow)
            seen.add(one.check)
            yield pytest.param(name, one, marks=marks, id=f"{name}-{one.name}")


def all_rights() -> Iterator[Any]:
    """Every right submission that a lab lists; all but the first of each cheap lab are slow.

    Lab 09's is no cheaper than its solution.
    """
    for name in names():
        for number, one in enumerate(r for r in rights(lab_of(name)) if not r.spelling):
            dear = (*DEAR, "lab09-the-cache-that-forgot")
            marks = [pytest.mark.slow] if number or name in dear else []
            yield pytest.param(name, one, marks=marks, id=f"{name}-{one.name}")


def needs_c(lab: Lab) -> None:
    """Skip what judges a C part where there is no sandbox."""
    if lab.c and available():
        pytest.skip(f"no sandbox: {available()}")


def right_files(lab: Lab, check: str) -> Files:
    """The solution, with its numbers where a check asks for some: they are simulated."""
    asks = next(c.asks for c in lab.checks(whole(lab, "ada", KEY)) if c.name == check)
    return solution(lab, "ada", KEY) if asks else files_of(lab, "solution")


def verdicts(lab: Lab, student: str) -> dict[str, str]:
    """What each check says of the solution of a student."""
    needs_c(lab)
    found = findings(lab, solution(lab, student, KEY), student, KEY)
    return {check.name: finding.verdict for check, finding in found}


@pytest.mark.slow
@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.parametrize("name", names())
def test_solution_earns_everything(name: str, student: str) -> None:
    """Every check passes, with the machine and the numbers of each student."""
    assert {"pass"} == {*verdicts(lab_of(name), student).values()}


@needs_sandbox
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n in SOLVED else [pytest.mark.slow]) for n in names()],
)
def test_solution_is_graded_with_full_marks(name: str, tmp_path: Path) -> None:
    """Every check passes on the whole way of a submission, sandbox included."""
    lab = lab_of(name)
    path = write(solution(lab, "ada", KEY), tmp_path / "ada")
    result = grade(lab, path, student="ada", key=KEY)
    assert result.graded_points == result.points


@pytest.mark.parametrize("name", names())
def test_starter_earns_nothing(name: str) -> None:
    """No check passes before anything is written, and none fails for a fault of ours."""
    lab = lab_of(name)
    needs_c(lab)
    found = [finding.verdict for _, finding in findings(lab, starter(lab), "ada", KEY)]
    assert {*found} <= EARNS_NOTHING
    assert found[0] in ("fail", "no_output")  # not skipped: the first check waits for none


@pytest.mark.covering("one", every=8)
@pytest.mark.parametrize(("name", "one"), [*all_mutants()])
def test_mutant_gets_its_verdict(name: str, one: Mutant) -> None:
    """Verdict and misconception are the documented ones."""
    lab = lab_of(name)
    files = mutated(lab, right_files(lab, one.check), one)
    ((check, finding),) = findings(lab, files, "ada", KEY, one.check)
    told = belief_of(check.misconceptions, finding, lab.wanted())
    assert (one.verdict, one.misconception) == (finding.verdict, told)


@needs_sandbox
@pytest.mark.parametrize(("name", "one"), [*all_rights()])
def test_right_submission_keeps_every_point(name: str, one: Right, tmp_path: Path) -> None:
    """For one student of draw 1; lint tries three students of a new draw each day."""
    lab, student = lab_of(name), drawn_students(1)[0]
    files = submission(lab, student, KEY, one)
    asked = differing(lab, student, KEY, files, tmp_path, "namespaces")
    lost = {
        check.name: finding.message
        for only in asked
        for check, finding in findings(lab, files, student, KEY, only)
        if finding.share < 1
    }
    assert {} == lost


@pytest.mark.parametrize("name", names())
def test_every_lab_has_mutants(name: str) -> None:
    """At least ten, of names of their own."""
    known = [one.name for one in mutants(lab_of(name))]
    assert 10 <= len(known) == len({*known})


@pytest.mark.parametrize("name", names())
def test_misconceptions_are_used(name: str) -> None:
    """Every one in the file is named by some check, and has a wrong submission or a number."""
    lab = lab_of(name)
    checks = lab.checks(variant(lab, "ada", KEY))
    told = {belief for check in checks for belief in check.misconceptions.values()}
    assert {m.belief for m in lab.misconceptions.values()} == told


@pytest.mark.parametrize("name", names())
def test_variants_differ_and_come_again(name: str) -> None:
    """Twenty students have several machines, each the same one every time."""
    lab = lab_of(name)
    drawn = [variant(lab, s, KEY) for s in STUDENTS]
    assert drawn == [variant(lab, s, KEY) for s in STUDENTS]
    assert 4 < len({json.dumps(v) for v in drawn})
    assert drawn != [variant(lab, s, b"another key of a course") for s in STUDENTS]


@pytest.mark.parametrize("name", names())
def test_lab_is_complete(name: str) -> None:
    """Something is hidden, something predicted, something asked in words; and it has its texts."""
    lab, folder = lab_of(name), find(name)
    checks = lab.checks(variant(lab, "ada", KEY))
    assert {True, False} == {c.public for c in checks}
    assert 1 == sum(isinstance(c, Prediction) for c in checks)
    assert 1 <= sum(isinstance(c, Written) for c in checks)
    handout = (folder / "handout.md").read_text()
    assert all(file in handout for file in starter(lab))
    assert all((folder / text).stat().st_size > 500 for text in ("rubric.md", "design.md"))
