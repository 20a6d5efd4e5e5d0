"""One run of the public checks at home, and what is remembered of it.

A lab that asks for predictions asks for them first. Until each is there no check runs that shows
what was to be predicted; when the first of these runs, the predictions are written down with the
time, and a later change is told, to the student and in what is handed in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from lockgrader.checks import Submitted
from lockgrader.grade import Gate, Progress, grade
from lockgrader.lab import Answer, Check, Measure, Prediction, Simulated
from lockgrader.result import Result
from lockgrader.sandbox import Profile
from lockgrader.workspace.folder import Predicted, State, Workspace, WorkspaceError

__all__ = ["Changed", "attempt", "changed", "measures", "public_checks", "to_do"]

Changed = tuple[str, Predicted]
"""A prediction's answer, and what it was before it was changed."""
GRADED = ("pass", "partial", "fail")


def attempt(
    workspace: Workspace,
    *,
    profile: Profile = "namespaces",
    only: Collection[str] = (),
    progress: Progress | None = None,
) -> Result:
    """Run the public checks on what is in a workspace now, and remember how it went.

    Arguments:
        workspace: the student's. profile: as for :func:`lockgrader.grade.grade`; "unconfined" where
            students say that they want no sandbox for their own work.
        only: names of checks; those that they need run too. By default all.
        progress: called with the result so far after each check.

    Raises:
        WorkspaceError: there is no check of such a name. SandboxError: there is no sandbox.
    """
    state, lab = workspace.state, workspace.lab
    checks = public_checks(workspace)
    result = grade(
        lab,
        workspace.folder,
        student=state.student,
        key=b"",
        profile=profile,
        public_only=True,
        values=state.variant,
        only=_with_needs(only, checks),
        gate=_gate(workspace, checks),
        progress=progress,
    )
    workspace.update(lambda before: _remembered(before, result, checks, whole=not only))
    return result


def public_checks(workspace: Workspace) -> list[Check]:
    """The checks with the student's own values."""
    return [c for c in workspace.lab.checks(dict(workspace.state.variant)) if c.public]


def measures(check: Check) -> bool:
    """Whether a check's finding tells what a lab may have asked to predict."""
    if isinstance(check, Simulated | Prediction):
        return True
    return isinstance(check, Answer) and isinstance(check.expected, Measure)


def changed(state: State, answers: Mapping[str, list[float]]) -> list[Changed]:
    """The predictions that are others now than before the first measurement."""
    return [
        (name, before)
        for name, before in state.predictions.items()
        if tuple(answers.get(name, ())) != before.values
    ]


def to_do(state: State, checks: list[Check]) -> Check | None:
    """The check to work at next: the first that has not passed and that waits for no other."""
    failed = [c for c in checks if not _done(c, state) and state.verdicts.get(c.name) != "skipped"]
    waiting = [c for c in checks if not _done(c, state)]
    return next(iter(failed or waiting), None)


def _done(check: Check, state: State) -> bool:
    """Whether there is nothing more to do; a prediction is to be made, and need not come true."""
    verdict = state.verdicts.get(check.name)
    return verdict == "pass" or (isinstance(check, Prediction) and verdict in GRADED)


def _gate(workspace: Workspace, checks: list[Check]) -> Gate:
    """Lets measurements through once all predictions are made, and writes these down."""
    asked = [c.answer for c in checks if isinstance(c, Prediction)]
    file = workspace.lab.answers

    def gate(check: Check, submitted: Submitted) -> str:
        if not asked or not measures(check):
            return ""
        frozen = workspace.state.predictions
        given = {n: submitted.answers[n] for n in asked if n in submitted.answers}
        for name in asked:
            if name not in frozen and not _is_interval(given.get(name)):
                return f'predict first: put "{name}": [low, high] into {file}, then measure'
        if any(name not in frozen for name in asked):
            now = datetime.now(UTC)
            fresh = {n: Predicted(values=tuple(v), at=now) for n, v in given.items()}
            workspace.update(lambda state: {"predictions": fresh | state.predictions})
        return ""

    return gate


def _is_interval(given: list[float] | None) -> bool:
    return given is not None and len(given) == 2 and given[0] <= given[1]


def _with_needs(only: Collection[str], checks: list[Check]) -> frozenset[str]:
    by_name = {c.name: c for c in checks}
    found: set[str] = set()
    todo = list(only)
    while todo:
        name = todo.pop()
        if name not in by_name:
            raise WorkspaceError(f"there is no check '{name}'; there are {', '.join(by_name)}")
        if name not in found:
            found.add(name)
            todo += by_name[name].needs
    return frozenset(found)


def _remembered(
    before: State, result: Result, checks: list[Check], *, whole: bool
) -> dict[str, object]:
    """What a state becomes after a run; a fault of ours is no attempt of the student's."""
    verdicts = before.verdicts | {
        c.name: c.verdict for c in result.checks if c.verdict != "grader_error"
    }
    another = result.submission_sha256 != before.submission_sha256
    after: dict[str, object] = {
        "verdicts": verdicts,
        "attempts": before.attempts + another,
        "submission_sha256": result.submission_sha256,
    }
    if whole:
        now = before.model_copy(update={"verdicts": verdicts})
        after["points"] = result.points
        after["best"] = max(before.best, result.points)
        after["max_points"] = result.max_points
        # A check that we failed keeps its verdict of an earlier try, which proves nothing of this.
        solved = not result.errors and all(_done(c, now) for c in checks)
        after["solved"] = before.solved or solved
    return after
