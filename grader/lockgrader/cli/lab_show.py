"""What ``locklab lab`` prints: a result for the student, and the screen of a watch."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Collection
from datetime import datetime
from typing import Any

from rich.markup import escape

from lockgrader.check import Check
from lockgrader.cli.show import belief, numbers, reason, say_wrapped, verdict_of
from lockgrader.finding import KEPT
from lockgrader.judging.evaluate import NEEDS_LINUX
from lockgrader.result import CheckResult, Result
from lockgrader.workspace.attempt import public_checks, to_do
from lockgrader.workspace.folder import State, Workspace
from lockgrader.workspace.hints import NoHintError, Shown, next_hint
from lockui import tables
from lockui.console import console, progress, say, warn

__all__ = ["Live", "say_wrapped", "show_hint", "show_result", "whose"]

STYLES = {"pass": "green", "partial": "yellow", "skipped": "dim"}


def show_result(workspace: Workspace, result: Result, *, every: bool = False) -> None:
    """Print a table of all checks, the findings of the next check to work on, and the points.

    Arguments:
        workspace: whose. result: to show. every: explain all checks that have not passed.
    """
    say_wrapped(whose(workspace.state), "")
    table = tables.table()
    tables.add(table, "check", fold=True)
    tables.add(table, "name")
    tables.add(table, "verdict")
    tables.add(table, "points", right=True)
    for one in result.checks:
        style = STYLES.get(one.verdict, "red")
        verdict = f"[{style}]{verdict_of(one)}[/{style}]"
        points = f"{one.points:.4g} of {one.max_points:g}"
        table.add_row(escape(one.title), one.name, verdict, points)
    tables.print_table(console(), table)
    if any(one.message == NEEDS_LINUX for one in result.checks):
        say(f"\n{NEEDS_LINUX}")
    for why, names in _skipped(result).items():
        say_wrapped(f"skipped: {', '.join(names)}: {why}", "")
    _show_next(workspace, result, every=every)


def show_changes(
    workspace: Workspace, result: Result, before: Result, ran: Collection[str]
) -> None:
    """Print what a save has changed, the findings of the next check to work on, and the points.

    Arguments:
        workspace: whose. result: of all checks. before: of the run before the save.
        ran: the names of the checks that ran.
    """
    names = [c.name for c in result.checks if c.name in ran]
    say_wrapped(f"ran {len(names)} of {len(result.checks)} checks: {', '.join(names) or '-'}", "")
    earlier = {c.name: c for c in before.checks}
    changes = [line for one in result.checks for line in _changes(earlier.get(one.name), one)]
    for line in changes or ["no verdict has changed"]:
        say_wrapped(line, "  ")
    _show_next(workspace, result, every=False)


def _changes(before: CheckResult | None, now: CheckResult) -> list[str]:
    """The line about a check whose verdict or points are others than before."""
    was = "not run" if before is None else verdict_of(before)
    points = 0.0 if before is None else before.points
    if (was, points) == (verdict_of(now), now.points):
        return []
    verdicts = f"{was} -> {verdict_of(now)}" if was != verdict_of(now) else was
    earned = f", {now.points:.4g} of {now.max_points:g} points" if points != now.points else ""
    return [f"{now.name}: {verdicts}{earned}"]


def _show_next(workspace: Workspace, result: Result, *, every: bool) -> None:
    """Print the findings of the next check to work on, or of all, and the points."""
    state, checks = workspace.state, public_checks(workspace)
    by_name = {c.name: c for c in checks}
    following = to_do(state, checks)
    told: set[str] = set()
    left = 0
    for one in result.checks:
        asked = every or (following is not None and one.name == following.name)
        if one.verdict == "pass" and one.rows and len(result.checks) < len(checks):
            say_wrapped(f"\n{one.title} ({one.name}): pass", "")  # asked for by its name
            numbers(one)
        if one.verdict == "pass" and by_name[one.name].asks_words and one.message != KEPT:
            say_wrapped(f"\n{one.title} ({one.name}): {one.message}", "")
        again = one.message in told and not one.rows  # as a file that does not compile
        if one.verdict in ("pass", "skipped") or again:
            continue
        if not asked:
            left += 1
        else:
            _explain(workspace, by_name[one.name], one, told)
            told |= {one.message, one.misconception}
    if left:
        say(f"\nlocklab lab check --all explains {left} more")
    whole = len(result.checks) == len(checks)
    for check in checks:
        for name in check.predictions:
            if whole or name in state.predictions:
                _predicted(name, state, workspace.lab.answers)
    if not whole:
        here = f"{result.points:.4g} of {result.max_points:g} points in these checks"
        since = f"{state.points:.4g} of {state.max_points:g} in all checks with these files"
        best = f" (your best: {state.best:.4g})" if state.points < state.best else ""
        say_wrapped(f"\n{here}; {since}{best}", "")
        return
    say(f"\n{_points(result, state, following)}")


def show_hint(shown: Shown) -> None:
    """Print the hints of a check that were seen, and how to get the next."""
    say(f"\n{shown.title} ({shown.check})")
    for number, text in enumerate(shown.texts, start=1):
        say_wrapped(f"hint {number} of {shown.of}: {text}", "  ")
    if shown.wait_minutes:
        say_wrapped(f"the next one comes after your next try, or in {shown.wait_minutes} min", "  ")
    elif len(shown.texts) < shown.of:
        say_wrapped("the next one comes after your next try", "  ")


def whose(state: State) -> str:
    """One line: the lab, the student and the student's values."""
    values = "".join(f", {name} {value}" for name, value in state.variant.items())
    return f"{state.title} · {state.student}{values}"


class Live:
    """A watch in a terminal or a file: each run gets a fresh screen and a progress bar.

    Arguments:
        workspace: whose. keys: whether keys can be pressed.
    """

    def __init__(self, workspace: Workspace, *, keys: bool) -> None:
        self._workspace, self._keys = workspace, keys
        self._bar = contextlib.ExitStack()
        self._report: Any = None

    def began(self) -> None:
        """Start a bar."""
        screen = console()
        if screen.is_terminal:
            screen.clear()
        say(f"{datetime.now():%H:%M:%S} running the checks …")
        self._report = self._bar.enter_context(progress("compiling"))

    def so_far(self, result: Result) -> None:
        """Move the bar."""
        checks = public_checks(self._workspace)
        done = len(result.checks)
        following = checks[done].title if done < len(checks) else "done"
        self._report(following, done / max(1, len(checks)))

    def done(self, result: Result, before: Result | None, ran: Collection[str]) -> None:
        """Show the result or what has changed since the run before, and which keys there are."""
        self.closed()
        screen = console()
        if screen.is_terminal:
            screen.clear()
        if before is None:
            show_result(self._workspace, result)
        else:
            show_changes(self._workspace, result, before, ran)
        self._foot()

    def details(self, result: Result) -> None:
        """Show the result with all that was found."""
        self.closed()
        screen = console()
        if screen.is_terminal:
            screen.clear()
        show_result(self._workspace, result, every=True)
        self._foot()

    def failed(self, message: str) -> None:
        """Show why the run failed."""
        self.closed()
        warn(message)
        self._foot()

    def hint(self) -> None:
        """Show the next hint, or why there is none."""
        try:
            show_hint(next_hint(self._workspace))
        except NoHintError as error:
            say_wrapped(str(error), "")

    def closed(self) -> None:
        """Remove the bar."""
        self._bar.close()

    def _foot(self) -> None:
        say(f"\nwatching {self._workspace.folder.name}: save a file to run again")
        if self._keys:
            say("h: a hint, a: all details, r: run again, q: quit")


def _points(result: Result, state: State, following: Check | None) -> str:
    text = f"{result.points:.4g} of {result.max_points:g} points in the public checks"
    if result.points < state.best:
        text += f" (your best: {state.best:.4g})"
    if following is None and state.solved:
        return f"{text}; solved. The grader has hidden checks too.\nhand in: locklab lab submit"
    return f"{text}. The grader has hidden checks too."


def _explain(workspace: Workspace, check: Check, one: CheckResult, told: Collection[str]) -> None:
    """Print what a check found, the misconception behind it, and the next step.

    Arguments:
        workspace, check, one: whose, which, and its result. told: the misconceptions
            that stand above with their correction, and other text; a correction comes once.
    """
    state = workspace.state
    say_wrapped(f"\n{one.title} ({one.name}): {verdict_of(one)}", "")
    says = reason(one)
    say_wrapped(says, "  ")
    if says != one.message:
        say_wrapped("locklab lab check --json shows the whole error: report it", "  ")
    example = one.counterexample or {}
    memory, threads = example.get("memory", ""), example.get("threads", 0)
    if example and (replay := check.replay(workspace.lab.locks, memory, threads)):
        say(f"  play it in a browser:\n    {shlex.join(replay)}")
    if one.rows:
        numbers(one)
    for says in belief(one)[: 1 if one.misconception in told else None]:
        say_wrapped(says, "  ")
    if check.hints and one.verdict in ("fail", "partial", "no_output"):
        seen = state.hints[check.name].seen if check.name in state.hints else 0
        say_wrapped(
            f"hints: {seen} of {len(check.hints)} seen; locklab lab hint {check.name}", "  "
        )


def _predicted(name: str, state: State, file: str) -> None:
    """Print the prediction and when it was recorded, or how to make it."""
    made = state.predictions.get(name)
    if made is None:
        say_wrapped(f'\npredict before you measure: "{name}": [low, high] in {file}', "")
        return
    values = " to ".join(f"{v:,.10g}" for v in made.values)
    when = f"{made.at.astimezone():%Y-%m-%d %H:%M}"
    says = f"locked prediction: {name} {values} ({when})"
    say_wrapped(f"\n{says}", "")


def _skipped(result: Result) -> dict[str, list[str]]:
    """Why checks were skipped: reason → their names."""
    found: dict[str, list[str]] = {}
    for one in result.checks:
        if one.verdict == "skipped" and one.message != NEEDS_LINUX:
            found.setdefault(one.message, []).append(one.name)
    return found
