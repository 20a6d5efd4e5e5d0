"""Find the other variants of a lab for which a wrong answer would be right.

A failed answer is judged by the same check with other variants of the lab. Up to MOST different
checks are tried. They come from the lab and not from the batch, so a result depends on its own
submission only.

A match is a reason to ask, not a verdict; points stay as they are. Two machines can be so similar
that an honest mistake gives the other's number. The student reads that the answer is correct for a
different variant, which helps after a measurement on the wrong machine. Only the instructor's
summary names the students who have that variant.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from lockgrader.checks.numeric import answer
from lockgrader.checks.simulated import reference
from lockgrader.checks.submitted import Submitted
from lockgrader.finding import Finding
from lockgrader.lab import Answer, Check, Lab, Measure
from lockgrader.lab.variants import values_of

__all__ = ["matching_variants", "shown"]

MOST = 64


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
    if isinstance(check, Answer) and isinstance(check.expected, Measure) and check.expected.own:
        return ()  # another variant's right number would be another measurement of this lock
    if not (isinstance(check, Answer) and wrong and check.answer in submitted.answers):
        return ()
    return tuple(
        shown(values)
        for other, values in _others(lab, check, own)
        if answer(_known(other), submitted).verdict == "pass"
    )


def shown(values: Mapping[str, str | int]) -> str:
    """A variant as one line of text."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _known(check: Answer) -> Answer:
    """A check whose expected value is the number, not the measure of a reference lock.

    This simulates locks of the library only, so it needs no process of its own. A batch simulates
    each number once in each of its processes.
    """
    if not isinstance(check.expected, Measure):
        return check
    return check.model_copy(update={"expected": reference(check.expected)})


def _others(
    lab: Lab, check: Answer, own: Mapping[str, str | int]
) -> Iterator[tuple[Answer, dict[str, str | int]]]:
    """The same check with other variants: each different one once, with its first variant."""
    place = next(i for i, c in enumerate(lab.checks(dict(own))) if c.name == check.name)
    used = {n: c for n, c in lab.variant.items() if f"${n}" in str(lab.check[place])}
    seen = [check.expected]
    for drawn in itertools.islice(itertools.product(*map(values_of, used.values())), 100 * MOST):
        values = dict(zip(used, drawn, strict=True))
        other = lab.checks({**own, **values})[place]
        if isinstance(other, Answer) and other.expected not in seen:
            seen.append(other.expected)
            yield other, values
        if len(seen) > MOST:
            return
