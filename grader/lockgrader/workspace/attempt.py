"""One run of the public checks at home, and how it changes the state.

Predictions come first. Until all of a lab's predictions are made, no check runs that would show the
result. When the first such check runs, the predictions are locked with the time. A later change is
reported, to the student and in the archive for handing in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from lockgrader.check import Check
from lockgrader.finding import Finding
from lockgrader.grade import Gate, Judged, Progress, grade
from lockgrader.interval import to_write
from lockgrader.read.record import Locked
from lockgrader.read.submission import Submission, take
from lockgrader.result import Result
from lockgrader.sandbox import Profile
from lockgrader.submitted import Submitted
from lockgrader.workspace.folder import Earned, State, Workspace, WorkspaceError
from lockgrader.workspace.touched import dependence
from lockui import record

Changed = tuple[str, Locked]
"""The name of a changed prediction, and its recorded value."""


def attempt(
    workspace: Workspace,
    files: Submission | None = None,
    *,
    profile: Profile = "namespaces",
    only: Collection[str] = (),
    progress: Progress | None = None,
    known: Mapping[str, Finding] | None = None,
    judged: Judged | None = None,
) -> Result:
    """Run the public checks on the files of a workspace, and record the outcome.

    Arguments:
        workspace: the student's. files: what to check; by default the files there now.
        profile: as for :func:`lockgrader.grade.grade`; "unconfined" where
            students ask for no sandbox for their own work.
        only: names of checks; those that they need run too. By default all.
        progress, known, judged: as for :func:`lockgrader.grade.grade`.

    Raises:
        WorkspaceError: there is no check of such a name. SandboxError: there is no sandbox.
    """
    state, lab = workspace.state, workspace.lab
    checks = public_checks(workspace)
    names = [c.name for c in checks]
    for name in only:
        if name not in names:
            raise WorkspaceError(f"unknown check '{name}'; known: {', '.join(names)}")
    files = take(workspace.folder, lab.wanted()) if files is None else files
    result = grade(
        lab,
        files,
        student=state.student,
        key=b"",
        profile=profile,
        public_only=True,
        values=state.variant,
        only=only,
        gate=_gate(workspace, checks),
        progress=progress,
        known=known,
        judged=judged,
    )
    of = {check.name: dependence(lab, check, files) for check in checks}
    after = workspace.update(lambda before: _remembered(before, result, checks, of))
    if (after.best, after.solved) != (state.best, state.solved):
        record.note("lab", state.lab, points=after.best, of=after.max_points, solved=after.solved)
    return result


def public_checks(workspace: Workspace) -> list[Check]:
    """The checks with the student's own values."""
    return [c for c in workspace.lab.checks(dict(workspace.state.variant)) if c.public]


def changed(state: State, answers: Mapping[str, list[float]]) -> list[Changed]:
    """The predictions that differ from those recorded before the first measurement."""
    return [
        (name, before)
        for name, before in state.predictions.items()
        if tuple(answers.get(name, ())) != before.values
    ]


def to_do(state: State, checks: list[Check]) -> Check | None:
    """The check to work on next: the first that has not passed and does not wait for another."""
    verdicts = state.verdicts
    waiting = [c for c in checks if not c.done(verdicts.get(c.name))]
    failed = [c for c in waiting if verdicts.get(c.name) != "skipped"]
    return next(iter(failed or waiting), None)


def _gate(workspace: Workspace, checks: list[Check]) -> Gate:
    """A gate that opens for measurements when all predictions are made, and locks them.

    A check with predictions of its own locks these, and waits for no other.
    """
    asked = {n: c for c in checks for n in c.predictions}
    file = workspace.lab.answers

    def gate(check: Check, submitted: Submitted) -> str:
        wanted = {
            **(asked if check.measures else {}),
            **dict.fromkeys(check.own_predictions, check),
        }
        if not wanted:
            return ""
        frozen = workspace.state.predictions
        given = {n: submitted.answers[n] for n in wanted if n in submitted.answers}
        for name, of in wanted.items():
            why = "" if name in frozen else _why_not(name, of, submitted)
            if why:
                return f"predict first: {why} into {file}, then measure"
        if any(name not in frozen for name in wanted):
            now = datetime.now(UTC)
            fresh = {n: Locked(values=tuple(v), at=now) for n, v in given.items()}
            frozen = workspace.update(lambda s: {"predictions": fresh | s.predictions}).predictions
        submitted.locked.update(frozen)
        return ""

    return gate


def _why_not(name: str, check: Check, submitted: Submitted) -> str:
    """Why a prediction cannot be locked, and what to write; "" if it can."""
    if name in submitted.wrong:
        return f"{submitted.wrong[name]}: {to_write(name)}"
    if not submitted.answers.get(name):
        return to_write(name)
    return check.impossible(name, submitted.answers[name])


def _remembered(
    before: State, result: Result, checks: list[Check], of: Mapping[str, str]
) -> dict[str, object]:
    """The changes of the state after a run; an internal error does not count as an attempt.

    Checks that ran by their names count as those that ran together do, as long as what they depend
    on has not changed in between.

    Arguments:
        before: the state. result: of the run. checks: all public ones. of: check → the digest of
            what it depends on now.
    """
    ran = [c for c in result.checks if c.verdict != "grader_error"]
    verdicts = before.verdicts | {c.name: c.verdict for c in ran}
    another = result.submission_sha256 != before.submission_sha256
    earned = {name: one for name, one in before.earned.items() if one.of == of.get(name)}
    earned |= {c.name: Earned(points=c.points, of=of[c.name]) for c in ran}
    points = sum(one.points for one in earned.values())
    # A verdict without points is of an earlier try: what it depends on was another one.
    solved = all(c.name in earned and c.done(verdicts.get(c.name)) for c in checks)
    return {
        "verdicts": verdicts,
        "attempts": before.attempts + another,
        "submission_sha256": result.submission_sha256,
        "earned": earned,
        "points": points,
        "best": max(before.best, points),
        "max_points": sum(c.points for c in checks),
        "solved": before.solved or solved,
    }
