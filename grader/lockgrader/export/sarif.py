"""A result as problems at places in a student's files, for editors and code-scanning pages."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from lockgrader.report.student import not_decided
from lockgrader.result import CheckResult, Result
from locksim.checker.replay.counterexample import Counterexample, Step
from locksim.checker.replay.problem import problem
from lockui.sarif import Place, Problem, problem_of


def problems(result: Result, files: Collection[str]) -> list[Problem]:
    """Return what stands between a submission and full points; the rule is the check's name.

    Checks that were skipped wait for another one, or for Linux, and are no problem of a file.

    Arguments:
        result: of a grading. files: names of the student's files; others get no place.
    """
    wrong = [one for one in result.checks if one.verdict not in ("pass", "skipped")]
    return [_at(_problem(one), files) for one in wrong]


def _problem(one: CheckResult) -> Problem:
    if one.verdict == "grader_error":
        return Problem(one.name, f"{one.title}: {not_decided(one)}", "note")
    if one.counterexample is not None:
        known = one.counterexample
        steps = [Step(**step) for step in known["steps"]]
        shown = problem(Counterexample(known["found"], known["message"], steps, known["threads"]))
        return replace(shown, rule=one.name, message=f"{one.title}: {shown.message}")
    made = problem_of(one.name, one.message, "warning" if one.verdict == "partial" else "error")
    return replace(made, message=f"{one.title}: {made.message}")


def _at(found: Problem, files: Collection[str]) -> Problem:
    """A problem with the student's files as an editor knows them: ``tas.py``, not ``<tas.py>``."""

    def own(place: Place) -> Place:
        name = place.file.strip("<>")
        return replace(place, file=name if name in files else "")

    where = None if found.place is None else own(found.place)
    return replace(found, place=where, steps=tuple(map(own, found.steps)))
