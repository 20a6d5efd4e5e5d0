"""Hints, one at a time: the next one comes after another try, or after a wait."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lockgrader.check import Check
from lockgrader.workspace.attempt import public_checks, to_do
from lockgrader.workspace.folder import Hints, Workspace

__all__ = ["REST", "NoHintError", "Shown", "next_hint"]

REST = timedelta(minutes=5)
"""Wait before the next hint of a check, unless the student tried again in between."""
INSTEAD = {
    "pass": "has passed and needs no hint",
    "skipped": "waits for another check; 'locklab lab check' says for which",
    "student_error": "could not run: 'locklab lab check' says what is wrong with the file",
    "ungradable": "could not run: 'locklab lab check' says what is wrong with the file",
    "malformed_output": "could not run: 'locklab lab check' says what is wrong with the file",
    None: "has not run yet: 'locklab lab check' comes first",
}


class NoHintError(Exception):
    """There is no hint; the message says why and what to do."""

    exit_code = 2


@dataclass(frozen=True)
class Shown:
    """The hints of a check that a student has seen.

    Arguments:
        check, title: of the check. texts: in order. of: the number of all hints.
        wait_minutes: until the next one, if the student asked too early; else 0.
    """

    check: str
    title: str
    texts: tuple[str, ...]
    of: int
    wait_minutes: int = 0


def next_hint(workspace: Workspace, name: str = "", now: datetime | None = None) -> Shown:
    """Give the next hint, unless it is too early, and record that it was seen.

    Arguments:
        workspace: the student's. name: a check, by default the one to work on next.
        now: the time, by default the clock's.

    Raises:
        NoHintError: the check has no hints or needs none.
    """
    now = now or datetime.now(UTC)
    check = _check(workspace, name)
    state = workspace.state
    verdict = state.verdicts.get(check.name)
    if verdict in INSTEAD:
        raise NoHintError(f"'{check.name}' {INSTEAD[verdict]}")
    of = len(check.hints)
    if not of:
        raise NoHintError(f"'{check.name}' has no hints; its message says what to change")
    before = state.hints.get(check.name)
    if before is not None and before.seen < of and before.attempt >= state.attempts:
        rest = before.at + REST - now
        if rest > timedelta(0):
            minutes = -(-rest // timedelta(minutes=1))
            return Shown(check.name, check.title, check.hints[: before.seen], of, minutes)
    seen = min(of, 1 if before is None else before.seen + 1)
    if before is None or seen > before.seen:
        made = Hints(seen=seen, at=now, attempt=state.attempts)
        workspace.update(lambda state: {"hints": state.hints | {check.name: made}})
    return Shown(check.name, check.title, check.hints[:seen], of)


def _check(workspace: Workspace, name: str) -> Check:
    checks = public_checks(workspace)
    if name:
        for check in checks:
            if check.name == name:
                return check
        known = ", ".join(c.name for c in checks)
        raise NoHintError(f"unknown check '{name}'; known: {known}")
    found = to_do(workspace.state, [check for check in checks if check.hints])
    if found is None:
        raise NoHintError("all public checks that have hints have passed; no hint is needed")
    return found
