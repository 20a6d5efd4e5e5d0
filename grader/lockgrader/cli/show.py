"""Print a result: one line for each check, then an explanation of each failure."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from lockgrader import clock
from lockgrader.report.items import Gain
from lockgrader.report.student import not_decided, withheld
from lockgrader.result import CheckResult, Result
from lockui import tables
from lockui.console import console, say, stderr, warn
from lockui.numbers import significant

if TYPE_CHECKING:
    from lockgrader.batch.compare import Comparison
    from lockgrader.batch.tasks import Task

__all__ = [
    "belief",
    "numbers",
    "reason",
    "say_changes",
    "say_withheld",
    "say_wrapped",
    "show",
    "show_gain",
    "verdict_of",
    "warn_of_clocks",
]

MOST_COLUMNS = 100
"""Characters in a line of text on a wide terminal."""
LONGEST_NAME = 28
"""Characters of a word that a table of numbers keeps whole."""
MOST_ROWS, FEW_ROWS = 12, 3
"""Of a table of more numbers only the first wrong ones are printed."""


def show(result: Result) -> None:
    """Print a result on stdout."""
    table = tables.table()
    tables.add(table, "check", fold=True)
    tables.add(table, "verdict")
    tables.add(table, "points")
    for check in result.checks:
        points = f"{check.points:.4g} of {check.max_points:g}"
        table.add_row(escape(check.title), verdict_of(check), points)
    tables.print_table(console(), table)
    for check in result.checks:
        if check.verdict != "pass":
            _explain(check)
    say(f"\n{result.points:.4g} of {result.max_points:g} points")
    if result.unmarked_points:
        say(f"{result.unmarked_points:g} of them are for answers in words, which are not marked.")
    if all(c.public for c in result.checks):
        say("These are the public checks; the grader also runs hidden checks.")


def show_gain(gained: Sequence[Gain]) -> None:
    """Print what a class has gained: the class first, then each question."""
    whole = gained[0]
    say(f"{whole.students} students answered both quizzes")
    table = tables.table()
    tables.add(table, "question")
    for heading in ("before", "after", "gain", "95 % interval"):
        tables.add(table, heading)
    for one in gained:
        ends = (tables.fixed(end, 2) for end in (one.low, one.high))
        interval = tables.DASH if math.isnan(one.low) else " to ".join(ends)
        shares = (tables.fixed(share, 2) for share in (one.before, one.after, one.gain))
        table.add_row(one.name, *shares, interval)
    tables.print_table(console(), table)


def say_withheld(results: Sequence[Result]) -> None:
    """Say on stderr from when on students see points, and what the clock says, where they wait."""
    for lab, release in sorted({(r.lab, r.release) for r in results if withheld(r)}):
        now = clock.now().isoformat(" ", "minutes")
        say(
            f"{lab}: students see points from {release.replace('T', ' ')} on; this machine's clock "
            f"says {now}. Then write pages and tables anew: locklab grade export RESULTS",
            stderr(),
        )


def say_changes(found: Comparison) -> None:
    """Print what differs between two gradings."""
    for change in found.changes:
        say(f"{change.student}: {change.check}: {change.was} -> {change.now}")
    students = len({change.student for change in found.changes})
    say(f"{students} students with differences" if students else "no mark differs")


def warn_of_clocks(todo: Sequence[Task]) -> None:
    """Warn of hand-in times that no right clock gives."""
    from lockgrader.batch.tasks import wrong_clocks

    for sentence in wrong_clocks(todo, clock.now()):
        warn(
            f"{sentence}\nhelp: give the platform's times (login,handed_in): --times FILE, or "
            "times in course.toml"
        )


def _explain(check: CheckResult) -> None:
    say_wrapped(f"\n{check.title}: {verdict_of(check)}", "")
    say_wrapped(reason(check), "  ")
    if check.rows:
        numbers(check)
    for says in belief(check):
        say_wrapped(says, "  ")
    if check.hint:
        say_wrapped(f"hint: {check.hint}", "  ")


def say_wrapped(text: str, indent: str) -> None:
    """Print text, wrapped to the terminal; line breaks and indentations stay."""
    width = min(MOST_COLUMNS, console().width)
    for line in text.splitlines() or [""]:
        own = indent + line[: len(line) - len(line.lstrip())]
        say(textwrap.fill(line.strip(), width, initial_indent=own, subsequent_indent=own))


def belief(check: CheckResult) -> list[str]:
    """The lines about the misconception that may be behind a mistake; none without one."""
    if not check.misconception:
        return []
    truth = f"in truth: {check.truth}" if check.truth else ""
    see = f"read on: {check.see}" if check.see else ""
    says = f"possible misconception: {check.misconception}"
    return [text for text in (says, truth, see) if text]


def reason(check: CheckResult) -> str:
    """What a check found, or why it is not decided."""
    return not_decided(check) if check.verdict == "grader_error" else check.message


def verdict_of(check: CheckResult) -> str:
    """A verdict in words; an answer in words gets none from the grader."""
    if check.verdict == "grader_error":
        return "not decided"
    read = check.verdict == "pass" and not check.max_points
    return "for your instructor" if read else check.verdict


def numbers(check: CheckResult) -> None:
    """Print a check's numbers beside the right values; of many, the first that are wrong."""
    wrong = [row for row in check.rows if row.share < 1.0]
    rows = check.rows if len(check.rows) <= MOST_ROWS else wrong[:FEW_ROWS]
    table = tables.table()
    # In a narrow terminal the comment wraps first, and a name is never broken inside a word.
    words = (word for one in rows for word in one.what.split())
    longest = min(LONGEST_NAME, max(map(len, words), default=0))
    table.add_column("", overflow="fold", min_width=longest)
    for heading in ("yours", "right"):
        tables.add(table, heading)
    table.add_column("", overflow="fold")
    for one in rows:
        got = "–" if one.got is None else significant(one.got, 4)
        table.add_row(escape(one.what), got, _band(one.low, one.high), escape(one.says))
    tables.print_table(console(), table)
    if rows != check.rows:
        say(f"  {len(check.rows)} numbers in all, {len(wrong)} of them wrong")


def _band(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return tables.DASH
    if low is None or high is None:
        end = significant(low or 0.0 if high is None else high, 4)
        return f"at {'least' if high is None else 'most'} {end}"
    return f"{significant(low, 4)} to {significant(high, 4)}"
