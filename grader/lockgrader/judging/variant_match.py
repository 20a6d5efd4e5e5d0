"""Find the other variants of a lab for which a wrong answer would be right.

A failed answer is judged by the same check with other variants of the lab: first those that differ
from the student's own in one value, such as another machine. Up to MOST different checks are tried,
fewer where each takes a simulation, and none where each takes runs of Chatroom, seconds long: a
wrong answer must not cost more than the rest of the grading. The variants come from the lab and not
from the batch, so a result depends on its own submission only.

A match is a reason to ask, not a verdict; points stay as they are. Two machines can be so similar
that an honest mistake gives the other's number. The student reads that the answer is right with
other values, which helps after a measurement on the wrong machine. Only the instructor's summary
names the students who have that variant.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from lockgrader.check import Check
from lockgrader.finding import Finding
from lockgrader.lab import Lab, Measure
from lockgrader.lab.chatroom import ChatroomRun
from lockgrader.lab.expected import Formula
from lockgrader.lab.variants import values_of
from lockgrader.submitted import Submitted

__all__ = ["matching_variants", "shown"]

MOST = 64
MOST_MEASURES = 8
"""Of numbers that are simulated; each takes some hundredths of a second."""


def matching_variants(
    lab: Lab,
    check: Check,
    finding: Finding,
    submitted: Submitted,
    own: Mapping[str, str | int],
) -> tuple[str, ...]:
    """The variants, as :func:`shown` writes them, for which a wrong answer is right.

    Arguments:
        lab, check, submitted: as for the check. finding: its finding.
        own: the student's variant.
    """
    wrong = finding.verdict in ("fail", "partial")
    if check.expects is None or not wrong or not submitted.answers.keys() >= {*check.asks}:
        return ()
    return tuple(
        shown(values)
        for other, values in _others(lab, check, own)
        if other.judge(submitted).verdict == "pass"
    )


def shown(values: Mapping[str, str | int]) -> str:
    """A variant as one line of text."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _others(
    lab: Lab, check: Check, own: Mapping[str, str | int]
) -> Iterator[tuple[Check, dict[str, str | int]]]:
    """The same check with other variants: each different one once, with its first variant.

    It simulates locks of the library only, so it needs no process of its own. A batch simulates
    each number once in each of its processes.
    """
    most = _most(check.expects)
    place = next(i for i, c in enumerate(lab.checks(dict(own))) if c.name == check.name)
    seen = [check.expects]
    for values in itertools.islice(_values(lab, place, own), 100 * most):
        other = lab.checks({**own, **values})[place]
        if other.expects not in seen:
            seen.append(other.expects)
            yield other, values
        if len(seen) > most:
            return


def _most(expects: object) -> int:
    """How many different numbers may be tried."""
    if isinstance(expects, Measure):
        return MOST_MEASURES
    parts = expects.where.values() if isinstance(expects, Formula) else [expects]
    return 0 if any(isinstance(part, ChatroomRun) for part in parts) else MOST


def _values(lab: Lab, place: int, own: Mapping[str, str | int]) -> Iterator[dict[str, str | int]]:
    """The values that a check of the lab uses: with one changed, each in turn, then all of them."""
    used = {n: values_of(c) for n, c in lab.variant.items() if f"${n}" in str(lab.check[place])}
    mine = {name: own[name] for name in used}
    for row in itertools.zip_longest(*used.values()):
        for name, value in zip(used, row, strict=True):
            if value not in (None, own[name]):
                yield {**mine, name: value}
    for drawn in itertools.product(*used.values()):
        yield dict(zip(used, drawn, strict=True))
