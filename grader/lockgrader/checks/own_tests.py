"""The student's own tests: how many of the lab's wrong locks they find, without a false alarm."""

from __future__ import annotations

from lockgrader.artefact import MalformedError
from lockgrader.checks.base import Finding, Submitted, found, row
from lockgrader.lab import Band, OwnTests
from lockgrader.scenarios import Scenario, explore
from locksim.checker.replay.render import table
from locksim.checker.verdict import Verdict
from locksim.compiler import compile_source
from locksim.lang.struct import Struct

__all__ = ["own_tests"]


def own_tests(check: OwnTests, submitted: Submitted) -> Finding:
    """Try the scenarios on the right one, which none may accuse, then on each wrong one.

    Without wrong ones the right one is the submission's own.
    """
    if not submitted.scenarios:
        return Finding("no_output", message="there is no scenario in the tests", tag="missing")
    try:
        if not check.mutants:
            return _own(check, submitted)
        right, *wrong = check.suspects
        sound, finding = _sound(check, submitted.scenarios, _made(check, right.text))
        if finding is not None:
            return finding
        survivors = []
        for suspect in wrong:
            subject = _made(check, suspect.text)
            if not any(_accuses(s, subject, check.states) for s in sound):
                survivors.append(suspect.name)
    except MalformedError as error:
        return Finding("malformed_output", message=str(error))
    told = f"{len(wrong) - len(survivors)} of {len(wrong)} wrong ones are found"
    if survivors:
        told = f"{told}; not found: {', '.join(survivors)}"
    if len(sound) < len(submitted.scenarios):
        left = [s.name for s in submitted.scenarios if s not in sound]
        told = f"{told}; too large to explore, and left out: {', '.join(left)}"
    line = row("wrong ones that the tests find", len(wrong) - len(survivors), _all(len(wrong)))
    return found([line], told)


def _own(check: OwnTests, submitted: Submitted) -> Finding:
    if check.lock not in submitted.codes:
        return Finding("fail", message=f"there is no class {check.lock}", tag="missing")
    subject = submitted.codes[check.lock].struct()
    sound, finding = _sound(check, submitted.scenarios, subject)
    if finding is not None:
        return finding
    line = row("scenarios that end", len(sound), _all(len(submitted.scenarios)))
    return found([line], f"{len(sound)} scenarios, and none accuses your own {check.lock}")


def _sound(
    check: OwnTests, scenarios: tuple[Scenario, ...], subject: Struct
) -> tuple[list[Scenario], Finding | None]:
    """The scenarios that the right one passes; a finding if one accuses it."""
    sound = []
    for scenario in scenarios:
        verdict = explore(scenario, subject, check.states)
        if verdict.verdict == "violated":
            return [], _false_alarm(scenario, verdict, own=not check.mutants)
        if verdict.verdict == "proven":
            sound.append(scenario)
    return sound, None


def _false_alarm(scenario: Scenario, verdict: Verdict, *, own: bool) -> Finding:
    told = verdict.counterexample
    assert told is not None
    whom = "your own" if own else "a right one"
    message = f"'{scenario.name}' accuses {whom} ({verdict.found}): {told.message}"
    if own:
        message = f"{message}\n{table(told)}"
    # The right one's steps are the solution's; only the student's own may be shown.
    return Finding(
        "fail",
        message=message,
        tag="false-alarm",
        counterexample=told.to_json() if own else None,
    )


def _accuses(scenario: Scenario, subject: Struct, states: int) -> bool:
    return explore(scenario, subject, states).verdict == "violated"


def _made(check: OwnTests, text: str) -> Struct:
    """A suspect, of a text that is the lab's own."""
    return compile_source(text, "<suspect>")[check.lock].struct()


def _all(number: int) -> Band:
    return Band(low=number, fade=1.0)
