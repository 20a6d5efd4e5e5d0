"""The student's own tests: how many of the lab's mutants they find, without a false alarm."""

from __future__ import annotations

from lockgrader.checks.submitted import Submitted, without
from lockgrader.finding import Finding, found, row
from lockgrader.lab import Band, OwnTests
from lockgrader.read.artefact import MalformedError
from lockgrader.read.scenarios import Scenario, explore, in_steps
from locksim.checker.replay.render import table
from locksim.checker.verdict import Verdict
from locksim.compiler import compile_source
from locksim.lang.struct import Struct

__all__ = ["own_tests"]


def own_tests(check: OwnTests, submitted: Submitted) -> Finding:
    """Try the scenarios on the solution, which none may accuse, then on each mutant.

    A check without mutants tries them on the submission's own class.
    """
    if not submitted.scenarios:
        return Finding("no_output", message="the tests hold no scenario", tag="missing")
    try:
        if not check.mutants:
            return _own(check, submitted)
        sound, finding = _sound(check, submitted.scenarios, _made(check, check.solution))
        if finding is not None:
            return finding
        survivors = []
        for mutant in check.sources:
            subject = _made(check, mutant.text)
            if not any(_accuses(s, subject, check.states) for s in sound):
                survivors.append(mutant.name)
    except MalformedError as error:
        return Finding("malformed_output", message=str(error))
    of = len(check.sources)
    summary = f"{of - len(survivors)} of {of} mutants found"
    if survivors:
        summary = f"{summary}; not found: {', '.join(survivors)}"
    if len(sound) < len(submitted.scenarios):
        left = [s.name for s in submitted.scenarios if s not in sound]
        summary = f"{summary}; left out because too large to explore: {', '.join(left)}"
    line = row("mutants that the tests find", of - len(survivors), _all(of))
    return found([line], summary)


def _own(check: OwnTests, submitted: Submitted) -> Finding:
    if check.lock not in submitted.codes:
        return without(check.lock, submitted)
    subject = submitted.codes[check.lock].struct()
    sound, finding = _sound(check, submitted.scenarios, subject)
    if finding is not None:
        return finding
    line = row("scenarios that end", len(sound), _all(len(submitted.scenarios)))
    return found([line], f"{len(sound)} scenarios; none accuses your own {check.lock}")


def _sound(
    check: OwnTests, scenarios: tuple[Scenario, ...], subject: Struct
) -> tuple[list[Scenario], Finding | None]:
    """The scenarios that the right lock passes; a finding if one accuses it."""
    sound = []
    for scenario in scenarios:
        verdict = explore(scenario, subject, check.states)
        if verdict.verdict == "violated":
            return [], _false_alarm(scenario, subject, verdict, own=not check.mutants)
        if verdict.verdict == "proven":
            sound.append(scenario)
    return sound, None


def _false_alarm(scenario: Scenario, subject: Struct, verdict: Verdict, *, own: bool) -> Finding:
    example = verdict.counterexample
    assert example is not None
    whom = "your own class" if own else "a right solution"
    message = f"'{scenario.name}' accuses {whom} ({verdict.found}): "
    message += in_steps(scenario, subject, example.message)
    if own:
        message = f"{message}\n{table(example)}"
    # The steps of the solution stay secret; only steps of the student's own class are shown.
    return Finding(
        "fail",
        message=message,
        tag="false-alarm",
        counterexample=example.to_json() if own else None,
    )


def _accuses(scenario: Scenario, subject: Struct, states: int) -> bool:
    return explore(scenario, subject, states).verdict == "violated"


def _made(check: OwnTests, text: str) -> Struct:
    """The solution or a mutant, from a text of the lab's own."""
    return compile_source(text, "<mutant>")[check.lock].struct()


def _all(number: int) -> Band:
    return Band(low=number, fade=1.0)
