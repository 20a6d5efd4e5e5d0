"""A counterexample as a problem at a place in a program, for editors."""

from __future__ import annotations

from locksim.checker.replay.counterexample import Counterexample, Step
from locksim.checker.replay.render import behind, did
from lockui.sarif import Place, Problem


def problem(counterexample: Counterexample) -> Problem:
    """Return what is wrong, at the last step that is in the program, and the steps to there."""
    steps = [_place(step) for step in counterexample.steps]
    last = next((step for step in reversed(steps) if step.file), None)
    return Problem(counterexample.found, counterexample.message, place=last, steps=tuple(steps))


def _place(step: Step) -> Place:
    """Where a step is; the library's test client has no place in the user's files."""
    shown = step.line > 0 and not step.client
    says = did(step) + behind(step)
    return Place(step.file if shown else "", step.line, says=says, thread=step.thread)
