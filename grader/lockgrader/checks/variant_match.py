"""A wrong answer that is right for somebody else: whose variant it was taken from.

An answer that fails is held against the same check with other variants of the lab. Where these are
few, all of them are tried, so that it does not matter whose answer was copied, nor which students
are in the batch: a result depends on its own submission alone. Where there are more than MOST, the
first MOST are tried that make the check another one.

It is a suspicion and no verdict: points stay as they are. Two machines can be so near to one
another that an honest mistake lands on the other's number. The student reads "right for another
machine than yours", which helps whoever measured on the wrong one; whose it is only the
instructor's summary says.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from lockgrader.checks import Finding, Submitted
from lockgrader.checks.numeric import answer
from lockgrader.checks.simulated import reference
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
        lab, check, submitted: what was graded. finding: what came of it.
        own: the student's variant.
    """
    wrong = finding.verdict in ("fail", "partial")
    if not (isinstance(check, Answer) and wrong and check.answer in submitted.answers):
        return ()
    return tuple(
        shown(values)
        for other, values in _others(lab, check, own)
        if answer(_known(other), submitted).verdict == "pass"
    )


def shown(values: Mapping[str, str | int]) -> str:
    """A variant in a line."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _known(check: Answer) -> Answer:
    """A check with the number in the place of what measures it.

    The lab and the library's locks are all that this runs, so it needs no process of its own, and
    a batch finds each number once in each of its processes.
    """
    if not isinstance(check.expected, Measure):
        return check
    return check.model_copy(update={"expected": reference(check.expected)})


def _others(
    lab: Lab, check: Answer, own: Mapping[str, str | int]
) -> Iterator[tuple[Answer, dict[str, str | int]]]:
    """The same check as others have it, each once, with the first variant that makes it so."""
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
