"""Compare two gradings of the same submissions: every mark that an upgrade changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lockgrader.result import CheckResult, Result

__all__ = ["Change", "compare"]


@dataclass(frozen=True)
class Change:
    """A mark or a verdict that differs.

    Arguments:
        student: whose. check: its name, or "total". was, now: points and verdict in words.
        points: how many more there are now.
    """

    student: str
    check: str
    was: str
    now: str
    points: float


def compare(old: Sequence[Result], new: Sequence[Result]) -> list[Change]:
    """All differences, by student, checks in the lab's order, the total last.

    Arguments:
        old, new: results of the same class.
    """
    before, after = ({r.student: r for r in results} for results in (old, new))
    found = []
    for student in sorted({*before, *after}):
        one, other = before.get(student), after.get(student)
        found += _checks(student, one, other)
        was, now = (0.0 if r is None else r.points for r in (one, other))
        if was != now or one is None or other is None:
            found.append(Change(student, "total", _total(one), _total(other), round(now - was, 4)))
    return found


def _checks(student: str, one: Result | None, other: Result | None) -> list[Change]:
    was, now = ({} if r is None else {c.name: c for c in r.checks} for r in (one, other))
    if one is None or other is None:
        return []
    return [
        Change(student, name, _said(was.get(name)), _said(now.get(name)), _more(was, now, name))
        for name in dict.fromkeys([*was, *now])
        if _said(was.get(name)) != _said(now.get(name))
    ]


def _more(was: dict[str, CheckResult], now: dict[str, CheckResult], name: str) -> float:
    before, after = (checks[name].points if name in checks else 0.0 for checks in (was, now))
    return round(after - before, 4)


def _said(check: CheckResult | None) -> str:
    if check is None:
        return "not there"
    by_hand = ", by hand" if check.mark is not None else ""
    return f"{check.points:g} of {check.max_points:g}, {check.verdict}{by_hand}"


def _total(result: Result | None) -> str:
    if result is None:
        return "not there"
    return f"{result.points:g} of {result.max_points:g}"
