"""Compare two gradings of the same submissions: every verdict and mark that an upgrade changes.

What comes after the grading, a person's mark and what lateness costs, is compared where both have
it. A new grading, made without the course and not yet marked, would otherwise differ for half of
the class, and one changed verdict would not be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lockgrader.result import CheckResult, Result


@dataclass(frozen=True)
class Change:
    """A mark or a verdict that differs.

    Arguments:
        student: whose. check: its name, "total" for the points before lateness, or "lateness".
        was, now: points and verdict in words. points: how many more there are now.
    """

    student: str
    check: str
    was: str
    now: str
    points: float


@dataclass(frozen=True)
class Comparison:
    """Two gradings compared.

    Arguments:
        changes: by student, checks in the lab's order, then total and lateness.
        late, marked: students whose lateness or marks only one of the gradings has; left out.
    """

    changes: tuple[Change, ...]
    late: tuple[str, ...]
    marked: tuple[str, ...]


def compare(old: Sequence[Result], new: Sequence[Result]) -> Comparison:
    """All differences.

    Arguments:
        old, new: results of the same class; one of a student without a submission does not count.
    """
    before, after = ({r.student: r for r in results if not r.absent} for results in (old, new))
    found: list[Change] = []
    late, marked = [], []
    for student in sorted({*before, *after}):
        one, other = before.get(student), after.get(student)
        if one is None or other is None:
            was, now = (0.0 if r is None else r.earned for r in (one, other))
            found.append(Change(student, "total", _total(one), _total(other), round(now - was, 4)))
            continue
        by_hand = {c.name for c in one.checks if c.mark} ^ {c.name for c in other.checks if c.mark}
        if by_hand:
            marked.append(student)
        if (one.late is None) != (other.late is None):
            late.append(student)
        found += _differences(_without(by_hand, one), _without(by_hand, other))
    return Comparison(tuple(found), tuple(late), tuple(marked))


def _without(by_hand: set[str], result: Result) -> Result:
    """A result without a person's marks for some checks."""
    checks = tuple(c.with_mark(None) if c.name in by_hand else c for c in result.checks)
    return result.model_copy(update={"checks": checks})


def _differences(one: Result, other: Result) -> list[Change]:
    was, now = ({c.name: c for c in r.checks} for r in (one, other))
    student = one.student
    found = [
        Change(student, name, _said(was.get(name)), _said(now.get(name)), _more(was, now, name))
        for name in dict.fromkeys([*was, *now])
        if _said(was.get(name)) != _said(now.get(name))
    ]
    more = round(other.earned - one.earned, 4)
    if more:
        found.append(Change(student, "total", _total(one), _total(other), more))
    if one.late is not None and other.late is not None and str(one.late) != str(other.late):
        costs = round(other.points - one.points - more, 4)
        found.append(Change(student, "lateness", str(one.late), str(other.late), costs))
    return found


def _more(was: dict[str, CheckResult], now: dict[str, CheckResult], name: str) -> float:
    before, after = (checks[name].points if name in checks else 0.0 for checks in (was, now))
    return round(after - before, 4)


def _said(check: CheckResult | None) -> str:
    if check is None:
        return "not there"
    by_hand = ", by hand" if check.mark is not None else ""
    return f"{check.points:g} of {check.max_points:g}, {check.verdict}{by_hand}"


def _total(result: Result | None) -> str:
    return "not there" if result is None else f"{result.earned:g} of {result.max_points:g}"
